/** Deciding about edits whose place in the file says something else now: all at once, or one by one. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { getDocumentQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { resolveEditConflicts } from '../../api/generated/sdk.gen';
import type { ConflictDecision } from '../../api/generated/types.gen';
import { useNotify } from '../../components/useNotify';
import { refreshParagraphs } from './useParagraphPages';

/** The code of the warning that names the edits. */
export const conflictCode = 'edit-conflict';

export function useConflicts(documentId: string) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { done, failed } = useNotify();
  const path = { document_id: documentId };
  return useMutation({
    mutationFn: async ({ body }: { body: ConflictDecision; count: number }) =>
      (await resolveEditConflicts({ path, body, throwOnError: true })).data,
    onSuccess: async (view, { count }) => {
      client.setQueryData(getDocumentQueryKey({ path }), view);
      done(t('paragraphs.conflictSettled', { count }));
      await refreshParagraphs(client, documentId);
    },
    onError: failed,
  });
}
