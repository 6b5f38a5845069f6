/** Passages as Markdown: what counts as formatted, rows of a table without their head, and the marked part. */
import type { Element, ElementContent, Root, RootContent } from 'hast';
import { segmentsOf } from './segments';

/** Tables, lists, code, headings and emphasis are what paragraphs carry as Markdown; the rest is read as it is. */
const formatted = /^\s*\|.*\|\s*$|^\s*([-*+]|\d+\.)\s|^#{1,6}\s+\S|```|\*\*/m;
const row = /^\s*\|.*\|\s*$/;
const delimiter = /^\s*\|[\s:|-]+\|\s*$/;

export const looksFormatted = (text: string) => formatted.test(text);

/** Markdown to show in place of a passage, and where an offset of the passage lies in it. */
interface Shown {
  source: string;
  at: (offset: number) => number;
}

/** Rows cut out of a table are a table only with a head: they get an empty one. */
export function withTableHead(text: string): Shown {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => row.test(line));
  if (first < 0 || lines.some((line) => delimiter.test(line)))
    return { source: text, at: (offset) => offset };
  const cells = (lines[first] ?? '').trim().split(/(?<!\\)\|/).length - 2;
  const head = [`|${'  |'.repeat(cells)}`, `|${' --- |'.repeat(cells)}`];
  if (first > 0 && lines[first - 1]?.trim()) head.unshift('');
  const from = lines.slice(0, first).reduce((sum, line) => sum + line.length + 1, 0);
  const added = head.reduce((sum, line) => sum + line.length + 1, 0);
  return {
    source: [...lines.slice(0, first), ...head, ...lines.slice(first)].join('\n'),
    at: (offset) => (offset < from ? offset : offset + added),
  };
}

interface Marks {
  source: string;
  piece: [number, number] | null;
  words: [number, number][];
}

const marked = (children: ElementContent[]): Element => ({
  type: 'element',
  tagName: 'mark',
  properties: {},
  children,
});

/**
 * Marks the words in the tree and puts the piece on a wash, in whatever cells and items they stand. Spans are
 * offsets of the source. Where its characters are not those that are shown (code, escapes), the words are
 * looked for in the text.
 */
export function markWords({ source, piece, words }: Marks) {
  const texts = [...new Set(words.map(([start, end]) => source.slice(start, end)))].filter(Boolean);
  const occurrences = (value: string) =>
    texts.flatMap((word) => {
      const found: [number, number][] = [];
      for (let at = value.indexOf(word); at >= 0; at = value.indexOf(word, at + word.length))
        found.push([at, at + word.length]);
      return found;
    });
  const within = (spans: [number, number][], start: number, length: number) =>
    spans
      .map(([from, to]): [number, number] => [Math.max(0, from - start), Math.min(length, to - start)])
      .filter(([from, to]) => to > from);
  const visit = (node: Root | Element) => {
    node.children = (node.children as RootContent[]).flatMap((child): RootContent[] => {
      if (child.type === 'element') visit(child);
      if (child.type !== 'text') return [child];
      const start = child.position?.start.offset;
      const end = child.position?.end.offset;
      const isExact = start !== undefined && end !== undefined && end - start === child.value.length;
      const [washed] = isExact && piece ? within([piece], start, child.value.length) : [];
      const spans = isExact ? within(words, start, child.value.length) : occurrences(child.value);
      if (!washed && spans.length === 0) return [child];
      return segmentsOf(child.value, washed ?? null, spans).map((part): ElementContent => {
        const text: ElementContent = { type: 'text', value: part.text };
        const word = part.isWord ? marked([text]) : text;
        if (!part.inPiece) return word;
        return { type: 'element', tagName: 'span', properties: { dataPiece: '' }, children: [word] };
      });
    }) as typeof node.children;
  };
  return (tree: Root) => visit(tree);
}

/** Wraps the words from `from` to `to` of the source in `mark`, in whatever cells and items they stand. */
export function markPassage({ from, to }: { from: number; to: number }) {
  const visit = (node: Root | Element) => {
    node.children = (node.children as RootContent[]).flatMap((child): RootContent[] => {
      if (child.type === 'element') visit(child);
      const start = child.position?.start.offset;
      const end = child.position?.end.offset;
      if (child.type !== 'text' || start === undefined || end === undefined) return [child];
      if (end <= from || start >= to) return [child];
      // Escaped characters make the source longer than the words: then all of them are marked.
      if (end - start !== child.value.length) return [marked([child])];
      const [left, right] = [Math.max(0, from - start), Math.min(child.value.length, to - start)];
      const parts: RootContent[] = [marked([{ type: 'text', value: child.value.slice(left, right) }])];
      if (left > 0) parts.unshift({ type: 'text', value: child.value.slice(0, left) });
      if (right < child.value.length) parts.push({ type: 'text', value: child.value.slice(right) });
      return parts;
    }) as typeof node.children;
  };
  return (tree: Root) => visit(tree);
}
