/** All settings of an application, the common ones first. What was typed stays when saving fails. */
import {
  Accordion,
  Autocomplete,
  Button,
  Group,
  MultiSelect,
  Paper,
  Select,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ProblemError } from '../../api';
import { listModelsOptions, listPurposeRoutesOptions } from '../../api/generated/@tanstack/react-query.gen';
import { Problem } from '../../components/Problem';
import { useBases } from '../knowledge/useBases';
import { AgentFields } from './AgentFields';
import { AnswerFields } from './AnswerFields';
import { AnsweringChoice } from './AnsweringChoice';
import { PromptSection } from './PromptSection';
import { faultyTerms } from './pipelineValues';
import { faultsOf, situations } from './promptFaults';
import { SearchFields } from './SearchFields';
import { StageFields } from './StageFields';
import type { ApplicationValues } from './values';

interface Props {
  initial: ApplicationValues;
  submitLabel: string;
  error: unknown;
  pending: boolean;
  /** Of one that is saved: its intents then take part in the preview of its prompts. */
  applicationId?: string;
  onSubmit: (values: ApplicationValues) => void;
}

export function ApplicationForm({ initial, submitLabel, error, pending, applicationId, onSubmit }: Props) {
  const { t } = useTranslation();
  const bases = useBases();
  const models = useQuery(listModelsOptions({ query: { kind: 'LLM' } }));
  const purposes = useQuery(listPurposeRoutesOptions());
  const form = useForm<ApplicationValues>({
    initialValues: initial,
    validate: {
      name: (value) => (value.trim() ? null : t('setup.needed')),
      knowledge_base_ids: (value, all) =>
        value.length > 0 || all.pipeline.tools.length > 0 ? null : t('applications.basesNeeded'),
      pipeline: {
        term_mapping: (value) =>
          faultyTerms(value).length === 0 ? null : t('applications.pipeline.termsNeed'),
      },
      answer: (_, all) =>
        situations.every(
          (name) => faultsOf(name, name === 'knowledge' ? all.answer : all.prompts[name]).length === 0,
        )
          ? null
          : t('prompts.cannotSave'),
    },
  });
  return (
    <form onSubmit={form.onSubmit(onSubmit)}>
      <Stack gap="lg">
        <Paper className="rd-card" p="lg">
          <Stack>
            <TextInput label={t('common.name')} maxLength={200} {...form.getInputProps('name')} />
            <Textarea
              label={t('common.description')}
              description={t('applications.descriptionHint')}
              autosize
              minRows={2}
              {...form.getInputProps('description')}
            />
            <MultiSelect
              label={t('applications.bases')}
              description={t('applications.basesHint')}
              placeholder={
                form.values.knowledge_base_ids.length === 0 ? t('applications.chooseBases') : undefined
              }
              searchable
              hidePickedOptions
              clearButtonProps={{ 'aria-label': t('common.clear') }}
              nothingFoundMessage={t('common.nothingFound')}
              data={(bases.data ?? []).map((base) => ({ value: base.id, label: base.name }))}
              {...form.getInputProps('knowledge_base_ids')}
            />
            <Select
              label={t('applications.model')}
              description={t('applications.modelHint')}
              allowDeselect
              clearable
              clearButtonProps={{ 'aria-label': t('common.clear') }}
              placeholder={t('applications.defaultModel')}
              nothingFoundMessage={t('common.nothingFound')}
              data={(models.data?.items ?? []).map((model) => ({ value: model.id, label: model.name }))}
              {...form.getInputProps('model_id')}
            />
            {form.values.model_id === null && (
              <Autocomplete
                label={t('applications.purpose')}
                description={t('applications.purposeHint')}
                data={[...new Set((purposes.data?.items ?? []).map((route) => route.purpose))]}
                maxLength={64}
                {...form.getInputProps('purpose')}
              />
            )}
            <Textarea
              label={t('applications.openingWords')}
              description={t('applications.openingHint')}
              autosize
              minRows={2}
              {...form.getInputProps('opening_words')}
            />
            <Textarea
              label={t('applications.suggested')}
              description={t('applications.suggestedHint')}
              autosize
              minRows={3}
              {...form.getInputProps('suggested_questions')}
            />
          </Stack>
        </Paper>
        <Paper className="rd-card" p="lg">
          <AnsweringChoice form={form} hasModel={models.data === undefined || models.data.items.length > 0} />
        </Paper>
        <Accordion variant="separated" multiple radius="lg">
          {form.values.answering === 'agent' && (
            <Accordion.Item value="agent">
              <Accordion.Control>{t('applications.agent.title')}</Accordion.Control>
              <Accordion.Panel>
                <AgentFields form={form} />
              </Accordion.Panel>
            </Accordion.Item>
          )}
          <Accordion.Item value="search">
            <Accordion.Control>{t('applications.searching')}</Accordion.Control>
            <Accordion.Panel>
              <SearchFields form={form} />
            </Accordion.Panel>
          </Accordion.Item>
          <Accordion.Item value="stages">
            <Accordion.Control>{t('applications.pipeline.title')}</Accordion.Control>
            <Accordion.Panel>
              <StageFields form={form} />
            </Accordion.Panel>
          </Accordion.Item>
          <Accordion.Item value="prompts">
            <Accordion.Control>{t('prompts.title')}</Accordion.Control>
            <Accordion.Panel>
              <PromptSection form={form} applicationId={applicationId} />
            </Accordion.Panel>
          </Accordion.Item>
          <Accordion.Item value="answer">
            <Accordion.Control>{t('applications.answering')}</Accordion.Control>
            <Accordion.Panel>
              <AnswerFields form={form} />
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
        {form.errors.answer && (
          <Problem
            error={new ProblemError(422, { code: 'prompt-incomplete', detail: t('prompts.cannotSave') })}
          />
        )}
        {error != null && <Problem error={error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={pending}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
