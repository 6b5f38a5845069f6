import { expect, test } from 'vitest';
import { layOut } from './layout';

const ids = Array.from({ length: 40 }, (_, n) => `n${n}`);
const links = ids.slice(1).map((id, n) => ({ from: id, to: `n${Math.floor(n / 3)}` }));
const size = { width: 800, height: 500 };

test('the same graph is drawn the same, inside its frame', () => {
  const first = layOut(ids, links, size);
  expect(layOut(ids, links, size)).toEqual(first);
  for (const { x, y } of first.values()) {
    expect(x).toBeGreaterThanOrEqual(48);
    expect(x).toBeLessThanOrEqual(752);
    expect(y).toBeGreaterThanOrEqual(48);
    expect(y).toBeLessThanOrEqual(452);
  }
});

test('what is joined stands nearer than what is not', () => {
  const places = layOut(ids, links, size);
  const far = (a: string, b: string) => {
    const [first, second] = [places.get(a), places.get(b)];
    if (!first || !second) throw new Error('no place');
    return Math.hypot(first.x - second.x, first.y - second.y);
  };
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const joined = mean(links.map(({ from, to }) => far(from, to)));
  const all = mean(ids.flatMap((a) => ids.filter((b) => b < a).map((b) => far(a, b))));
  expect(joined).toBeLessThan(0.6 * all);
});

test('one entity and none can be drawn', () => {
  expect(layOut(['a'], [], size).get('a')).toEqual({ x: 400, y: 250 });
  expect(layOut([], [], size).size).toBe(0);
});
