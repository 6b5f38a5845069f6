/** Where a question looks: an application, some knowledge bases, or all of them. */
import type { ApplicationOut, KnowledgeBaseView } from '../../api/generated/types.gen';
import { useApplications, useBases } from '../knowledge/useBases';

export type Sources =
  | { kind: 'all' }
  | { kind: 'bases'; ids: string[] }
  | { kind: 'application'; id: string };

export function useSourceChoices() {
  const bases = useBases();
  const applications = useApplications();
  return {
    bases: (bases.data ?? []) as KnowledgeBaseView[],
    applications: (applications.data ?? []) as ApplicationOut[],
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
