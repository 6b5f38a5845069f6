/** All knowledge bases, applications and members of the workspace, for fields that choose among them by name. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { everyPage } from '../../api/everyPage';
import {
  listApplicationsQueryKey,
  listKnowledgeBasesQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { listApplications, listKnowledgeBases } from '../../api/generated/sdk.gen';

/** What the server gives at once. */
const query = { limit: 200 };

const everyBase = queryOptions({
  queryKey: [...listKnowledgeBasesQueryKey({ query }), 'all'],
  queryFn: ({ signal }) =>
    everyPage((cursor) => listKnowledgeBases({ query: { ...query, ...cursor }, signal, throwOnError: true })),
});

const everyApplication = queryOptions({
  queryKey: [...listApplicationsQueryKey({ query }), 'all'],
  queryFn: ({ signal }) =>
    everyPage((cursor) => listApplications({ query: { ...query, ...cursor }, signal, throwOnError: true })),
});

export const useBases = (enabled = true) => useQuery({ ...everyBase, enabled });

export const useApplications = () => useQuery(everyApplication);
