/** The three ways of answering, side by side; all other settings stay as they are. */
import { Alert, Radio, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { Answering, ApplicationValues } from './values';

const WAYS: Answering[] = ['quoting', 'pipeline', 'agent'];

export function AnsweringChoice({
  form,
  hasModel,
}: {
  form: UseFormReturnType<ApplicationValues>;
  hasModel: boolean;
}) {
  const { t } = useTranslation();
  return (
    <Radio.Group label={t('applications.way')} {...form.getInputProps('answering')}>
      <Stack gap="xs" mt="xs">
        {WAYS.map((way) => (
          <Radio
            key={way}
            value={way}
            label={t(`applications.ways.${way}`)}
            description={t(`applications.wayHints.${way}`)}
            disabled={way === 'agent' && !hasModel}
          />
        ))}
        {!hasModel && (
          <Alert color="gray" variant="light">
            {t('applications.agentNeedsModel')}
          </Alert>
        )}
      </Stack>
    </Radio.Group>
  );
}
