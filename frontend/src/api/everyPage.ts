/** All items of a list that the server gives page by page, for lists that are short enough to be shown whole. */

interface CursorPage<T> {
  items: T[];
  next_cursor?: string | null;
}

/** `load` fetches a page; `cursor` is empty for the first one. */
export async function everyPage<T>(
  load: (cursor: { cursor?: string }) => Promise<{ data: CursorPage<T> }>,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null | undefined;
  do {
    const { data } = await load(cursor ? { cursor } : {});
    items.push(...data.items);
    cursor = data.next_cursor;
  } while (cursor);
  return items;
}
