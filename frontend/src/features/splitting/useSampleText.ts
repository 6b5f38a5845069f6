import { useQuery } from '@tanstack/react-query';
import { listParagraphsOptions } from '../../api/generated/@tanstack/react-query.gen';

/** Enough to see headings in, and little enough to be sent while somebody types. */
const mostCharacters = 200_000;

/** The beginning of a document as text with its headings as Markdown: what patterns are tried on. */
export function useSampleText(documentId: string): string | undefined {
  const page = useQuery(listParagraphsOptions({ path: { document_id: documentId }, query: { limit: 100 } }));
  return page.data?.items
    .map(({ title, title_chain, content }) =>
      title ? `${'#'.repeat(Math.min(6, title_chain.length + 1))} ${title}\n\n${content}` : content,
    )
    .join('\n\n')
    .slice(0, mostCharacters);
}
