import { expect, test } from 'vitest';
import { passageOf } from './passageOf';

const content = '🔔 The bell rings. The lamp burns. The door is shut.';

test('a whole paragraph stays as it is', () => {
  const hit = { content, passage: null, piece: [2, 17] as [number, number], words: [] };
  expect(passageOf(hit)).toEqual({ text: content, piece: [2, 17], words: [], window: null });
});

test('of a window the text, the piece and the words are those inside it', () => {
  const passage: [number, number] = [18, 33];
  const words: [number, number][] = [
    [6, 10],
    [22, 26],
    [38, 42],
  ];
  const shown = passageOf({ content, passage, piece: [18, 33], words });
  expect(shown.text).toBe('The lamp burns.');
  expect(shown.piece).toEqual([0, 15]);
  expect(shown.words.map(([from, to]) => shown.text.slice(from, to))).toEqual(['lamp']);
  expect(shown.window).toEqual({ from: 19, to: 33, all: [...content].length });
});

test('a piece that reaches beyond the window ends with it', () => {
  expect(passageOf({ content, passage: [6, 10], piece: [2, 30], words: [] }).piece).toEqual([0, 4]);
});
