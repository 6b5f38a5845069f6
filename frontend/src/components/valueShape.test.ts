import { expect, test } from 'vitest';
import { inOneLine, isNested } from './valueShape';

test('values with parts of their own are nested, short lists and empty ones are not', () => {
  expect([{ a: 1 }, [{ a: 1 }], ['x'.repeat(121)]].map(isNested)).toEqual([true, true, true]);
  expect([1, 'a', null, undefined, true, {}, [], ['a', 2]].map(isNested)).toEqual(Array(8).fill(false));
});

test('one line tells every part', () => {
  expect(inOneLine({ order: { id: 7, lines: [{ sku: 'A' }, { sku: 'B' }] }, note: null })).toBe(
    'order: id: 7, lines: sku: A, sku: B, note: —',
  );
});
