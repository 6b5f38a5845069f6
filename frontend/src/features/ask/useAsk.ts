/** Sending a question: the run comes back at once, its answer follows by its events. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createRun } from '../../api/generated/sdk.gen';
import type { RunCreate, RunOut } from '../../api/generated/types.gen';
import { storeRun } from './conversationCache';
import type { Sources } from './sources';

export const targetOf = (sources: Sources): Partial<RunCreate> => {
  if (sources.kind === 'application') return { application_id: sources.id };
  return sources.kind === 'bases' ? { knowledge_base_ids: sources.ids } : {};
};

export function useAsk() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: RunCreate): Promise<RunOut> =>
      (await createRun({ body, throwOnError: true })).data,
    onSuccess: (run) => storeRun(client, run),
  });
}
