/** Passages as Markdown: what counts as formatted, rows of a table without their head, and the marked part. */
import type { Element, ElementContent, Root, RootContent } from 'hast';

/** Tables, lists, code and emphasis are what paragraphs carry as Markdown; anything else is read as it stands. */
const formatted = /^\s*\|.*\|\s*$|^\s*([-*+]|\d+\.)\s|```|\*\*/m;
const row = /^\s*\|.*\|\s*$/;
const delimiter = /^\s*\|[\s:|-]+\|\s*$/;

export const looksFormatted = (text: string) => formatted.test(text);

/** Rows cut out of a table are a table only with a head: they get an empty one. */
export function withTableHead(text: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => row.test(line));
  if (first < 0 || lines.some((line) => delimiter.test(line))) return text;
  const cells = (lines[first] ?? '').trim().split(/(?<!\\)\|/).length - 2;
  const head = [`|${'  |'.repeat(cells)}`, `|${' --- |'.repeat(cells)}`];
  if (first > 0 && lines[first - 1]?.trim()) head.unshift('');
  return [...lines.slice(0, first), ...head, ...lines.slice(first)].join('\n');
}

/** Wraps the words from `from` to `to` of the source in `mark`, in whatever cells and items they stand. */
export function markPassage({ from, to }: { from: number; to: number }) {
  const marked = (children: ElementContent[]): Element => ({
    type: 'element',
    tagName: 'mark',
    properties: {},
    children,
  });
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
