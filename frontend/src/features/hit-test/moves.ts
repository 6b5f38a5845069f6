/** Where each hit of one search stands in another. */
import type { HitTestResult } from '../../api/generated/types.gen';

export type Move =
  | { kind: 'same' }
  | { kind: 'up' | 'down'; by: number; from: number }
  | { kind: 'new' }
  | { kind: 'gone' };

/** By paragraph id: how a hit of `here` moved against `other`; what `other` alone has is `gone`. */
export function movesOf(here: HitTestResult, other: HitTestResult): Map<string, Move> {
  const before = new Map(other.hits.map((hit, index) => [hit.paragraph_id, index + 1]));
  const moves = new Map<string, Move>();
  here.hits.forEach((hit, index) => {
    const from = before.get(hit.paragraph_id);
    const by = from === undefined ? 0 : from - (index + 1);
    if (from === undefined) moves.set(hit.paragraph_id, { kind: 'new' });
    else if (by === 0) moves.set(hit.paragraph_id, { kind: 'same' });
    else moves.set(hit.paragraph_id, { kind: by > 0 ? 'up' : 'down', by: Math.abs(by), from });
  });
  for (const id of before.keys()) if (!moves.has(id)) moves.set(id, { kind: 'gone' });
  return moves;
}
