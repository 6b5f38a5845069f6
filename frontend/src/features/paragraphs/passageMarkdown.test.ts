import type { Root } from 'hast';
import { expect, test } from 'vitest';
import { markPassage, withTableHead } from './passageMarkdown';

test('rows without a head get an empty one', () => {
  expect(withTableHead('| New York | 2,906 |')).toBe('|  |  |\n| --- | --- |\n| New York | 2,906 |');
});

test('a whole table and plain text stay as they are', () => {
  for (const text of ['| a | b |\n| --- | --- |\n| 1 | 2 |', 'no table'])
    expect(withTableHead(text)).toBe(text);
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
