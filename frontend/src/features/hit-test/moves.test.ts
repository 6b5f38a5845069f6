import { expect, test } from 'vitest';
import type { HitTestResult } from '../../api/generated/types.gen';
import { movesOf } from './moves';

const found = (...ids: string[]) =>
  ({ hits: ids.map((paragraph_id) => ({ paragraph_id })) }) as unknown as HitTestResult;

test('tells how far a hit moved, and what is new or gone', () => {
  const moves = movesOf(found('c', 'a', 'x'), found('a', 'b', 'c'));
  expect(moves.get('c')).toEqual({ kind: 'up', by: 2, from: 3 });
  expect(moves.get('a')).toEqual({ kind: 'down', by: 1, from: 1 });
  expect(moves.get('x')).toEqual({ kind: 'new' });
  expect(moves.get('b')).toEqual({ kind: 'gone' });
});

test('hits at the same place have not moved', () => {
  expect([...movesOf(found('a', 'b'), found('a', 'b')).values()]).toEqual([
    { kind: 'same' },
    { kind: 'same' },
  ]);
});
