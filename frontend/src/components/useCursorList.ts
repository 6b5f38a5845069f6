/** A list that is fetched page by page: the server names where the next page begins. */
import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';

interface CursorPage<T> {
  items: T[];
  next_cursor?: string | null;
  total: number;
}

/** `load` fetches a page; `cursor` is empty for the first one. `items` are those of all pages so far. */
export function useCursorList<T>(
  queryKey: QueryKey,
  load: (cursor: { cursor?: string }, signal: AbortSignal) => Promise<{ data: CursorPage<T> }>,
) {
  const list = useInfiniteQuery({
    // Pages are kept apart from a list of the same call that is read as a whole.
    queryKey: [...queryKey, 'pages'],
    queryFn: async ({ pageParam, signal }) =>
      (await load(pageParam ? { cursor: pageParam } : {}, signal)).data,
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  });
  return { ...list, items: (list.data?.pages ?? []).flatMap((page) => page.items) };
}
