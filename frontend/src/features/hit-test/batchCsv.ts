/** The results of a batch as a table for spreadsheets. */
import type { CaseResultView } from '../../api/generated/types.gen';

const columns = [
  'question',
  'expected',
  'outcome',
  'rank',
  'hit@5',
  'MRR@10',
  'nDCG@10',
  'found',
  'best',
  'ms',
  'documents',
] as const;

// What a spreadsheet would run as a formula gets a quote before it.
const cell = (value: string | number | boolean | null) => {
  const text = value === null ? '' : String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const expectation = ({ expected }: CaseResultView) =>
  expected.nothing
    ? '-'
    : [
        ...expected.documents.map((one) => one.name),
        ...expected.paragraphs.map((one) => `${one.document_name} #${one.position + 1}`),
        ...expected.unknown,
      ].join('; ');

const row = (result: CaseResultView) => [
  result.question,
  expectation(result),
  result.outcome,
  result.rank,
  result.hit_at_5,
  result.mrr_at_10,
  result.ndcg_at_10,
  result.found,
  result.best,
  result.elapsed_ms,
  [...new Set(result.hits.map((hit) => hit.document_name))].join('; '),
];

/** With a byte order mark, so that spreadsheets read it as UTF-8. With two runs the second follows each row. */
export function resultsAsCsv(first: CaseResultView[], second?: CaseResultView[]): string {
  const heading = second ? [...columns, ...columns.slice(2).map((name) => `${name} (B)`)] : [...columns];
  const rows = first.map((result, index) => {
    const other = second?.[index];
    return [...row(result), ...(other ? row(other).slice(2) : [])];
  });
  return `\ufeff${[heading, ...rows].map((cells) => cells.map(cell).join(',')).join('\r\n')}\r\n`;
}

export function download(text: string, name: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
