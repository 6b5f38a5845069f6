import type { RunOut } from '../../api/generated/types.gen';

/** The answer with its sources as plain text: what "copy" puts on the clipboard. */
export function answerAsText(run: RunOut): string {
  const sources = (run.citations ?? []).map((citation) => {
    const place = [citation.page, citation.section].filter(Boolean).join(', ');
    return `[${citation.n}] ${citation.document}${place ? ` (${place})` : ''}`;
  });
  return sources.length > 0 ? `${run.answer.trim()}\n\n${sources.join('\n')}` : run.answer.trim();
}
