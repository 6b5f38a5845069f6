/** The file that the paragraphs shown were made from: the present one, or that of an earlier version. */
import { useQuery } from '@tanstack/react-query';
import { listDocumentVersionsOptions } from '../../api/generated/@tanstack/react-query.gen';
import type { DocumentView } from '../../api/generated/types.gen';

/** Where its pages are, and how many; none for what has no pages. */
export interface Original {
  address: string;
  pageCount: number;
  version: number | null;
}

const imageKinds = new Set(['pdf']);

export function useOriginal(document: DocumentView, version: number | null): Original | null {
  const past = useQuery({
    // The list begins below its cursor, the newest first: the one asked for is on top.
    ...listDocumentVersionsOptions({
      path: { document_id: document.id },
      query: { limit: 1, cursor: String((version ?? 0) + 1) },
    }),
    enabled: version !== null,
    refetchOnWindowFocus: false,
  });
  const address = `/api/v1/documents/${document.id}`;
  if (version === null) {
    const pageCount = Number(document.found_meta.page_count ?? 0);
    const isShown = imageKinds.has(document.kind ?? '') && document.has_file && pageCount > 0;
    return isShown ? { address, pageCount, version } : null;
  }
  const held = past.data?.items.find((one) => one.number === version);
  if (!held?.has_file || !held.page_count || !imageKinds.has(held.kind ?? '')) return null;
  return { address: `${address}/versions/${version}`, pageCount: held.page_count, version };
}
