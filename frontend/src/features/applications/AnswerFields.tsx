import { NumberInput, Select, Stack, Switch, Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { ApplicationValues } from './values';

export function AnswerFields({ form }: { form: UseFormReturnType<ApplicationValues> }) {
  const { t } = useTranslation();
  return (
    <Stack>
      <Textarea
        label={t('applications.emptyReply')}
        description={t('applications.emptyReplyHint')}
        autosize
        minRows={2}
        {...form.getInputProps('empty_reply')}
      />
      <Select
        label={t('applications.language')}
        data={[
          { value: 'auto', label: t('applications.languageAuto') },
          { value: 'en', label: t('common.english') },
          { value: 'zh', label: t('common.chinese') },
        ]}
        {...form.getInputProps('language')}
      />
      <NumberInput
        label={t('applications.temperature')}
        description={t('applications.temperatureHint')}
        min={0}
        max={2}
        step={0.1}
        decimalScale={2}
        {...form.getInputProps('temperature')}
      />
      <NumberInput
        label={t('applications.history')}
        description={t('applications.historyHint')}
        min={0}
        max={50}
        allowDecimal={false}
        {...form.getInputProps('history_turns')}
      />
      <Switch
        label={t('applications.completeQuestion')}
        description={t('applications.completeQuestionHint')}
        {...form.getInputProps('complete_question', { type: 'checkbox' })}
      />
    </Stack>
  );
}
