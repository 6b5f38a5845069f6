/**
 * Turns the marks of an answer into elements: `[n]` into a citation chip, unsupported sentences into a marked
 * span. Runs after sanitising, on the tree; positions of the source tell which words a sentence covers.
 */
import type { Element, ElementContent, Root, RootContent, Text } from 'hast';
import { codePointOffset } from '../../api/codePointOffset';

export interface UnsupportedRange {
  start: number;
  end: number;
  reason: string;
}

const untouched = new Set(['code', 'pre', 'a']);
const mark = /\[(\d{1,3})\]/g;

const text = (value: string): Text => ({ type: 'text', value });

/** Splits a text into plain parts and chips for the numbers that are known citations. */
export function splitCitations(value: string, known: ReadonlySet<number>): ElementContent[] {
  const parts: ElementContent[] = [];
  let from = 0;
  for (const match of value.matchAll(mark)) {
    const n = Number(match[1]);
    if (!known.has(n)) continue;
    if (match.index > from) parts.push(text(value.slice(from, match.index)));
    parts.push({ type: 'element', tagName: 'cite', properties: { dataN: String(n) }, children: [] });
    from = match.index + match[0].length;
  }
  if (from < value.length) parts.push(text(value.slice(from)));
  return parts;
}

/** Cuts a text that begins at `offset` of the source where unsupported sentences begin and end. */
function pieces(value: string, offset: number | undefined, ranges: readonly UnsupportedRange[]) {
  if (offset === undefined || ranges.length === 0) return [{ value, reason: null as string | null }];
  const found: { value: string; reason: string | null }[] = [];
  let at = 0;
  for (const range of ranges) {
    const start = Math.max(at, range.start - offset);
    const end = Math.min(value.length, range.end - offset);
    if (end <= start) continue;
    if (start > at) found.push({ value: value.slice(at, start), reason: null });
    found.push({ value: value.slice(start, end), reason: range.reason });
    at = end;
  }
  if (at < value.length) found.push({ value: value.slice(at), reason: null });
  return found;
}

export function answerMarkup(options: {
  known: ReadonlySet<number>;
  unsupported: readonly UnsupportedRange[];
}) {
  const counted = [...options.unsupported].sort((a, b) => a.start - b.start);
  let ranges = counted;
  const visit = (children: (ElementContent | RootContent)[]): ElementContent[] =>
    children.flatMap((child): ElementContent[] => {
      if (child.type === 'element') {
        if (!untouched.has(child.tagName)) (child as Element).children = visit(child.children);
        return [child];
      }
      if (child.type !== 'text') return [child as ElementContent];
      return pieces(child.value, child.position?.start.offset, ranges).flatMap(({ value, reason }) => {
        const parts = splitCitations(value, options.known);
        if (reason === null || value.trim() === '') return parts;
        return [{ type: 'element', tagName: 'u', properties: { dataReason: reason }, children: parts }];
      });
    });
  return (tree: Root, file?: { value: unknown }) => {
    if (typeof file?.value === 'string') {
      const source = file.value;
      ranges = counted.map((range) => ({
        ...range,
        start: codePointOffset(source, range.start),
        end: codePointOffset(source, range.end),
      }));
    }
    tree.children = visit(tree.children) as RootContent[];
  };
}
