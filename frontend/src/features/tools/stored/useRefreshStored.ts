/** After a change of stored tools: their lists, and the list of all tools. */
import { useQueryClient } from '@tanstack/react-query';
import {
  listStoredToolsQueryKey,
  listToolInterfacesQueryKey,
  listToolsQueryKey,
} from '../../../api/generated/@tanstack/react-query.gen';

export function useRefreshStored() {
  const client = useQueryClient();
  return () =>
    Promise.all(
      [listStoredToolsQueryKey(), listToolInterfacesQueryKey(), listToolsQueryKey()].map((key) =>
        client.invalidateQueries({ queryKey: [{ _id: key[0]._id }] }),
      ),
    );
}
