/** All members and groups of the workspace, for fields that choose among them by name. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { everyPage } from '../../api/everyPage';
import { listGroupsQueryKey, listMembersQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { listGroups, listMembers } from '../../api/generated/sdk.gen';

/** What the server gives at once. */
const query = { limit: 200 };

const everyMember = queryOptions({
  queryKey: [...listMembersQueryKey({ query }), 'all'],
  queryFn: ({ signal }) =>
    everyPage((cursor) => listMembers({ query: { ...query, ...cursor }, signal, throwOnError: true })),
});

const everyGroup = queryOptions({
  queryKey: [...listGroupsQueryKey({ query }), 'all'],
  queryFn: ({ signal }) =>
    everyPage((cursor) => listGroups({ query: { ...query, ...cursor }, signal, throwOnError: true })),
});

export const useMembers = () => useQuery(everyMember);

export const useGroups = () => useQuery(everyGroup);
