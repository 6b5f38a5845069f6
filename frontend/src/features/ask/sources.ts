/** Where a question looks: an application, some knowledge bases, or all of them. */
import { useQuery } from '@tanstack/react-query';
import {
  listApplicationsOptions,
  listKnowledgeBasesOptions,
} from '../../api/generated/@tanstack/react-query.gen';
import type { ApplicationOut, KnowledgeBaseView } from '../../api/generated/types.gen';

export type Sources =
  | { kind: 'all' }
  | { kind: 'bases'; ids: string[] }
  | { kind: 'application'; id: string };

export function useSourceChoices() {
  const bases = useQuery(listKnowledgeBasesOptions({ query: { limit: 200 } }));
  const applications = useQuery(listApplicationsOptions({ query: { limit: 200 } }));
  return {
    bases: (bases.data?.items ?? []) as KnowledgeBaseView[],
    applications: (applications.data?.items ?? []) as ApplicationOut[],
    ready: bases.isSuccess && applications.isSuccess,
  };
}

export const sourcesOf = (thread: {
  application_id?: string | null;
  knowledge_base_ids?: string[];
}): Sources => {
  if (thread.application_id) return { kind: 'application', id: thread.application_id };
  if (thread.knowledge_base_ids?.length) return { kind: 'bases', ids: thread.knowledge_base_ids };
  return { kind: 'all' };
};
