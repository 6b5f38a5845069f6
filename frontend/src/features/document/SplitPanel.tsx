import { Button, Group, Stack, Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getDocumentQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { updateDocument } from '../../api/generated/sdk.gen';
import type { DocumentView } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { useNotify } from '../../components/useNotify';
import { SplitFields } from '../splitting/SplitFields';
import { cleaned } from '../splitting/splitOptions';
import { useSampleText } from '../splitting/useSampleText';

/** Splitting a document again, from its stored text. What was edited by hand stays unless one says otherwise. */
export function SplitPanel({ document, onDone }: { document: DocumentView; onDone: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { done } = useNotify();
  const [options, setOptions] = useState(document.split_settings);
  const [discard, setDiscard] = useState(false);
  const sample = useSampleText(document.id);
  const path = { document_id: document.id };
  const apply = useMutation({
    mutationFn: async () =>
      (
        await updateDocument({
          path,
          body: { split_settings: cleaned(options), discard_edits: discard },
          throwOnError: true,
        })
      ).data,
    onSuccess: (view) => {
      client.setQueryData(getDocumentQueryKey({ path }), view);
      done(t('splitting.applied'));
      onDone();
    },
  });
  return (
    <Stack>
      <SplitFields value={options} onChange={setOptions} sample={sample} />
      <Switch
        label={t('splitting.discardEdits')}
        checked={discard}
        onChange={(event) => setDiscard(event.currentTarget.checked)}
      />
      {apply.error && <Problem error={apply.error} />}
      <Group justify="flex-end">
        <Button loading={apply.isPending} onClick={() => apply.mutate()}>
          {t('splitting.splitAgain')}
        </Button>
      </Group>
    </Stack>
  );
}
