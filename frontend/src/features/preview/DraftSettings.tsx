/** How a file of a preview is split; applying it splits the file again while one looks. */
import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { updateDocument } from '../../api/generated/sdk.gen';
import type { DocumentView } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { ReadingReport } from '../document/ReadingReport';
import { isWorking } from '../knowledge/StateChip';
import { SplitFields } from '../splitting/SplitFields';
import { cleaned, sameSplit } from '../splitting/splitOptions';
import { useSampleText } from '../splitting/useSampleText';

export function DraftSettings({ draft, onApplied }: { draft: DocumentView; onApplied: () => unknown }) {
  const { t } = useTranslation();
  const [options, setOptions] = useState(draft.split_settings);
  const sample = useSampleText(draft.id);
  const apply = useMutation({
    mutationFn: () =>
      updateDocument({
        path: { document_id: draft.id },
        body: { split_settings: cleaned(options) },
        throwOnError: true,
      }),
    onSuccess: onApplied,
  });
  return (
    <Stack>
      <ReadingReport document={draft} withWarnings={false} />
      <SplitFields value={options} onChange={setOptions} sample={sample} />
      {apply.error && <Problem error={apply.error} />}
      <Button
        loading={apply.isPending || isWorking(draft.state)}
        disabled={sameSplit(options, draft.split_settings)}
        onClick={() => apply.mutate()}
      >
        {t('splitting.apply')}
      </Button>
    </Stack>
  );
}
