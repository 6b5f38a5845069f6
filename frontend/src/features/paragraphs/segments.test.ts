import { expect, test } from 'vitest';
import { segmentsOf } from './segments';

test('cuts a text at its piece and its words, and loses nothing', () => {
  const parts = segmentsOf(
    'one two three',
    [4, 13],
    [
      [0, 3],
      [8, 13],
    ],
  );
  expect(parts.map((part) => part.text).join('')).toBe('one two three');
  expect(parts.filter((part) => part.isWord).map((part) => part.text)).toEqual(['one', 'three']);
  expect(parts.filter((part) => part.inPiece).map((part) => part.text)).toEqual(['two ', 'three']);
});

test('a text without spans is one part, an empty one none', () => {
  expect(segmentsOf('text', null, [])).toEqual([{ start: 0, text: 'text', inPiece: false, isWord: false }]);
  expect(segmentsOf('', null, [])).toEqual([]);
});
