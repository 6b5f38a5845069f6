import type { Root } from 'hast';
import { expect, test } from 'vitest';
import { looksFormatted, markPassage, markWords, withTableHead } from './passageMarkdown';

test('rows without a head get an empty one', () => {
  expect(withTableHead('| New York | 2,906 |').source).toBe('|  |  |\n| --- | --- |\n| New York | 2,906 |');
});

test('a whole table and plain text stay as they are', () => {
  for (const text of ['| a | b |\n| --- | --- |\n| 1 | 2 |', 'no table'])
    expect(withTableHead(text).source).toBe(text);
});

test('only the passage is marked', () => {
  const at = (offset: number) => ({ line: 1, column: offset + 1, offset });
  const tree: Root = {
    type: 'root',
    children: [{ type: 'text', value: 'one two', position: { start: at(10), end: at(17) } }],
  };
  markPassage({ from: 14, to: 40 })(tree);
  expect(tree.children).toMatchObject([
    { type: 'text', value: 'one ' },
    { tagName: 'mark', children: [{ value: 'two' }] },
  ]);
});

test('offsets behind an empty head are moved with their words', () => {
  const text = 'Towns\n| New York | 2,906 |';
  const { source, at } = withTableHead(text);
  const from = text.indexOf('York');
  expect(source.slice(at(from), at(from + 4))).toBe('York');
  expect(at(2)).toBe(2);
});

test('headings, tables, lists, code and emphasis are formatted; plain lines are not', () => {
  for (const text of ['## Leave', 'a\n# b', '| a |', '- a', '1. a', '```\na\n```', 'a **b**'])
    expect(looksFormatted(text)).toBe(true);
  for (const text of ['#hashtag', 'a # b', 'Plain\nlines', '2024 was dry'])
    expect(looksFormatted(text)).toBe(false);
});

test('words are marked where they stand and looked for where places are not known', () => {
  const source = '| leave days |';
  const at = (offset: number) => ({ line: 1, column: offset + 1, offset });
  const tree: Root = {
    type: 'root',
    children: [
      { type: 'text', value: 'leave days', position: { start: at(2), end: at(12) } },
      { type: 'text', value: 'x = days' },
    ],
  };
  markWords({ source, piece: [2, 7], words: [[8, 12]] })(tree);
  expect(tree.children).toMatchObject([
    { tagName: 'span', properties: { dataPiece: '' }, children: [{ value: 'leave' }] },
    { value: ' ' },
    { tagName: 'mark', children: [{ value: 'days' }] },
    { value: 'x = ' },
    { tagName: 'mark', children: [{ value: 'days' }] },
  ]);
});
