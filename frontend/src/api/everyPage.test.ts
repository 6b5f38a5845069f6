import { describe, expect, it } from 'vitest';
import { everyPage } from './everyPage';

/** A server with so many items, 200 a page. */
function server(count: number) {
  const asked: (string | undefined)[] = [];
  const load = async ({ cursor }: { cursor?: string }) => {
    asked.push(cursor);
    const from = Number(cursor ?? 0);
    const to = Math.min(from + 200, count);
    const items = Array.from({ length: to - from }, (_, index) => from + index);
    return { data: { items, next_cursor: to < count ? String(to) : null } };
  };
  return { asked, load };
}

describe('everyPage', () => {
  it('loads what stands behind the first page too, in order', async () => {
    const { asked, load } = server(500);
    expect(await everyPage(load)).toEqual(Array.from({ length: 500 }, (_, index) => index));
    expect(asked).toEqual([undefined, '200', '400']);
  });

  it('asks once where one page is all', async () => {
    const { asked, load } = server(200);
    expect(await everyPage(load)).toHaveLength(200);
    expect(asked).toEqual([undefined]);
  });

  it('is empty where there is nothing', async () => {
    expect(await everyPage(server(0).load)).toEqual([]);
  });
});
