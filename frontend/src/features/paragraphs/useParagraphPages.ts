/** Paragraphs by their place in the document: only the pages that are looked at are fetched and kept alive. */
import { keepPreviousData, type QueryClient, useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import {
  getDocumentQueryKey,
  listParagraphsOptions,
  listParagraphsQueryKey,
  listVersionParagraphsOptions,
} from '../../api/generated/@tanstack/react-query.gen';
import type { ParagraphPage, ParagraphView } from '../../api/generated/types.gen';

export const pageSize = 100;

/** What is read: the document as it is, or as a version was; with `q`, only what contains these words. */
export interface ParagraphSource {
  documentId: string;
  version: number | null;
  q: string;
}

function pageOptions({ documentId, version, q }: ParagraphSource, page: number) {
  const start = page * pageSize;
  if (version !== null) {
    return listVersionParagraphsOptions({
      path: { document_id: documentId, number: version },
      query: { limit: pageSize, ...(start > 0 ? { cursor: String(start) } : {}) },
    });
  }
  return listParagraphsOptions({
    path: { document_id: documentId },
    query: { limit: pageSize, ...(start > 0 ? { start } : {}), ...(q ? { q } : {}) },
  });
}

/** An edit is searched a few seconds later; so long the page asks again whether it is. */
const indexingPollMs = 2500;
const indexingPatienceMs = 120_000;

const awaitsIndex = (page: ParagraphPage | undefined) =>
  page?.items.some(
    (one) =>
      one.is_current &&
      !one.is_indexed &&
      Date.now() - new Date(one.updated_at).getTime() < indexingPatienceMs,
  ) ?? false;

export function useFirstPage(source: ParagraphSource, page: number) {
  return useQuery({
    ...(pageOptions(source, page) as ReturnType<typeof listParagraphsOptions>),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });
}

/** The rows of these pages by place. `watch`: edits are being indexed, so rows are asked for again. */
export function useParagraphRows(source: ParagraphSource, pages: number[], watch: boolean) {
  const data = useQueries({
    queries: pages.map((page) => ({
      ...(pageOptions(source, page) as ReturnType<typeof listParagraphsOptions>),
      refetchOnWindowFocus: false,
      refetchInterval: (query: { state: { data?: ParagraphPage | undefined } }) =>
        watch && awaitsIndex(query.state.data) ? indexingPollMs : (false as const),
    })),
    combine: (results) => results.map((result) => result.data),
  });
  return useMemo(() => {
    const rows = new Map<number, ParagraphView>();
    data.forEach((page, at) => {
      const first = (pages[at] ?? 0) * pageSize;
      page?.items.forEach((paragraph, offset) => {
        rows.set(first + offset, paragraph);
      });
    });
    return rows;
  }, [data, pages]);
}

const listId = listParagraphsQueryKey({ path: { document_id: '' } })[0]._id;

/** Write what the server answered into whatever lists hold the paragraph. */
export function storeParagraph(client: QueryClient, paragraph: ParagraphView) {
  client.setQueriesData<ParagraphPage>({ queryKey: [{ _id: listId }] }, (page) =>
    page?.items.some((one) => one.id === paragraph.id)
      ? { ...page, items: page.items.map((one) => (one.id === paragraph.id ? paragraph : one)) }
      : page,
  );
}

/** The order or number of a document's paragraphs is another one now. */
export async function refreshParagraphs(client: QueryClient, documentId: string) {
  await Promise.all([
    client.invalidateQueries({ queryKey: [{ _id: listId, path: { document_id: documentId } }] }),
    client.invalidateQueries({ queryKey: getDocumentQueryKey({ path: { document_id: documentId } }) }),
  ]);
}
