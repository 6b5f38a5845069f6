/** Questions as people paste them: one a line, or a table with the expected documents beside them. */
import type { QuestionInput } from '../../api/generated/types.gen';

/** What people write beside a question without an answer. */
const none = /^(-|–|—|none|nothing|无|没有)$/i;
const headings = /^(question|query|问题)$/i;

/** Rows of a CSV text (RFC 4180), with `,` or a tab between cells. */
export function readTable(text: string): string[][] {
  const clean = text.replace(/^\ufeff/, '');
  const separator = clean.split('\n', 1)[0]?.includes('\t') ? '\t' : ',';
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < clean.length; at += 1) {
    const sign = clean[at];
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (clean[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (sign === '"' && cell === '') quoted = true;
    else if (sign === separator) {
      row.push(cell);
      cell = '';
    } else if (sign === '\n') {
      rows.push([...row, cell.replace(/\r$/, '')]);
      row = [];
      cell = '';
    } else cell += sign;
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell]);
  return rows;
}

const parts = (cell: string) =>
  cell
    .split(/[;\uff1b]/)
    .map((part) => part.trim())
    .filter(Boolean);

function question(cells: string[]): QuestionInput | null {
  const [words = '', expected] = cells.map((cell) => cell.trim());
  if (!words) return null;
  if (expected === undefined || expected === '') return { question: words };
  if (none.test(expected)) return { question: words, expects_nothing: true };
  return { question: words, documents: parts(expected) };
}

/** A pasted text: a tab (or `=>`, which can be typed) parts a line's question from its documents. */
export function readPasted(text: string): QuestionInput[] {
  return text
    .split(/\r?\n/)
    .map((line) => question(line.split(/\t|\s=>\s/)))
    .filter((one) => one !== null);
}

/** A file: questions in the first column, expected documents in the second; a heading is left out. */
export function readFile(text: string): QuestionInput[] {
  const rows = readTable(text);
  const first = rows[0]?.[0]?.trim() ?? '';
  return (headings.test(first) ? rows.slice(1) : rows).map(question).filter((one) => one !== null);
}

/** UTF-8, or what spreadsheets in China write. */
export function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('gb18030').decode(bytes);
  }
}
