/** What an application does before and beside the answer: tools, words, memory, and each stage of its own. */
import { MultiSelect, NumberInput, Select, Stack, Switch, Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listToolsOptions } from '../../api/generated/@tanstack/react-query.gen';
import { StageTable } from './StageTable';
import type { ApplicationValues } from './values';

export function StageFields({ form }: { form: UseFormReturnType<ApplicationValues> }) {
  const { t } = useTranslation();
  const tools = useQuery(listToolsOptions());
  const listed = (tools.data?.items ?? []).map((tool) => ({
    value: tool.id,
    label: tool.title || tool.name,
  }));
  // What was chosen and is gone, or stands for a whole server, is kept and shown by its id.
  const unlisted = form.values.pipeline.tools
    .filter((id) => !listed.some((tool) => tool.value === id))
    .map((id) => ({ value: id, label: id }));
  return (
    <Stack>
      <MultiSelect
        label={t('applications.pipeline.tools')}
        description={t('applications.pipeline.toolsHint')}
        searchable
        hidePickedOptions
        clearButtonProps={{ 'aria-label': t('common.clear') }}
        nothingFoundMessage={t('applications.pipeline.noTools')}
        data={[...listed, ...unlisted]}
        {...form.getInputProps('pipeline.tools')}
      />
      <Textarea
        label={t('applications.pipeline.terms')}
        description={t('applications.pipeline.termsHint')}
        placeholder={t('applications.pipeline.termsExample')}
        autosize
        minRows={2}
        maxRows={12}
        {...form.getInputProps('pipeline.term_mapping')}
      />
      <NumberInput
        label={t('applications.pipeline.summary')}
        description={t('applications.pipeline.summaryHint')}
        min={0}
        max={4000}
        step={100}
        allowDecimal={false}
        {...form.getInputProps('pipeline.summary_chars')}
      />
      <Switch
        label={t('applications.pipeline.notes')}
        description={t('applications.pipeline.notesHint')}
        {...form.getInputProps('pipeline.notes', { type: 'checkbox' })}
      />
      <Select
        label={t('applications.pipeline.failure')}
        allowDeselect={false}
        data={(['error', 'quote'] as const).map((value) => ({
          value,
          label: t(`applications.pipeline.failures.${value}`),
        }))}
        {...form.getInputProps('pipeline.when_model_fails')}
      />
      <Switch
        label={t('applications.pipeline.restart')}
        description={t('applications.pipeline.restartHint')}
        {...form.getInputProps('pipeline.restart_answers', { type: 'checkbox' })}
      />
      <StageTable form={form} />
    </Stack>
  );
}
