/** Why a document could not be read, and what can be done now: its password, another try, another file. */
import { Alert, Button, Group, PasswordInput } from '@mantine/core';
import { IconAlertTriangle, IconLock, IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getDocumentQueryKey, listDraftsQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { retryDocument } from '../../api/generated/sdk.gen';
import type { DocumentError, DocumentView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { useNotify } from '../../components/useNotify';
import { DocumentFailure } from '../knowledge/DocumentFailure';

const passwordCodes = new Set(['password-required', 'password-wrong']);

export function DocumentFailureNotice({ document, error }: { document: DocumentView; error: DocumentError }) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const client = useQueryClient();
  const { failed } = useNotify();
  const [password, setPassword] = useState('');
  const asksPassword = passwordCodes.has(error.code);
  const retry = useMutation({
    mutationFn: async () =>
      (
        await retryDocument({
          path: { document_id: document.id },
          body: password ? { password } : {},
          throwOnError: true,
        })
      ).data,
    onSuccess: (view) => {
      setPassword('');
      client.setQueryData(getDocumentQueryKey({ path: { document_id: document.id } }), view);
      // A preview reads its files from the list of drafts, which is asked again only while one is being read.
      const path = { knowledge_base_id: document.knowledge_base_id };
      if (document.is_draft)
        return client.invalidateQueries({ queryKey: [{ _id: listDraftsQueryKey({ path })[0]._id }] });
    },
    onError: failed,
  });
  return (
    <Alert
      color="red"
      mb="md"
      icon={asksPassword ? <IconLock size={18} /> : <IconAlertTriangle size={18} />}
      title={asksPassword ? t('details.passwordTitle') : t('knowledge.states.failed')}
    >
      <DocumentFailure error={error} />
      {mayWrite && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            retry.mutate();
          }}
        >
          <Group mt="sm" gap="sm" align="flex-end">
            {asksPassword && (
              <PasswordInput
                w={260}
                label={t('details.password')}
                description={t('details.passwordHint')}
                autoComplete="off"
                value={password}
                onChange={(event) => setPassword(event.currentTarget.value)}
              />
            )}
            <Button
              type="submit"
              size="sm"
              variant="default"
              leftSection={<IconRefresh size={15} />}
              loading={retry.isPending}
              disabled={asksPassword && !password}
            >
              {asksPassword ? t('details.open') : t('common.retry')}
            </Button>
          </Group>
        </form>
      )}
    </Alert>
  );
}
