/** Asking the same question again with other settings, for this one answer; the application stays as it is. */
import {
  Accordion,
  Button,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listModelsOptions } from '../../api/generated/@tanstack/react-query.gen';
import { runAgain } from '../../api/generated/sdk.gen';
import type { RunOut, TraceOut } from '../../api/generated/types.gen';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { useWordFor } from '../../i18n/useWordFor';
import { storeRun } from '../ask/conversationCache';
import { type AgainValues, changesOf, settingsOf, situations, stageNames } from './again';

interface Props {
  trace: TraceOut;
  opened: boolean;
  onClose: () => void;
  onStarted: (run: RunOut) => void;
}

export function RunAgain(props: Props) {
  const { t } = useTranslation();
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t('trace.again')} size="lg">
      {props.opened && <Form {...props} />}
    </Dialog>
  );
}

function Form({ trace, onClose, onStarted }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const stageWord = useWordFor('stages');
  const models = useQuery(listModelsOptions({ query: { kind: 'LLM' } }));
  const initial = settingsOf(trace.settings ?? {});
  const form = useForm<AgainValues>({ initialValues: initial });
  const ask = useMutation({
    mutationFn: async (values: AgainValues) =>
      (
        await runAgain({
          path: { run_id: trace.run_id },
          body: changesOf(values),
          throwOnError: true,
        })
      ).data,
    onSuccess: (run) => {
      storeRun(client, run);
      onClose();
      onStarted(run);
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => ask.mutate(values))}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t('trace.againText')}
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <Select
            label={t('trace.answering')}
            data={(['pipeline', 'agent', 'quoting'] as const).map((value) => ({
              value,
              label: t(`trace.answerings.${value}`),
            }))}
            {...form.getInputProps('answering')}
          />
          <Select
            label={t('applications.model')}
            placeholder={t('applications.defaultModel')}
            clearable
            allowDeselect
            clearButtonProps={{ 'aria-label': t('common.clear') }}
            nothingFoundMessage={t('common.nothingFound')}
            data={(models.data?.items ?? []).map((model) => ({ value: model.id, label: model.name }))}
            {...form.getInputProps('model_id')}
          />
          <Select
            label={t('knowledge.mode')}
            data={(['blend', 'embedding', 'keywords'] as const).map((value) => ({
              value,
              label: t(`knowledge.modes.${value}`),
            }))}
            {...form.getInputProps('mode')}
          />
          <NumberInput
            label={t('knowledge.topN')}
            min={1}
            max={50}
            allowDecimal={false}
            {...form.getInputProps('top_n')}
          />
          <NumberInput
            label={t('knowledge.threshold')}
            min={0}
            max={1}
            step={0.05}
            decimalScale={2}
            {...form.getInputProps('similarity')}
          />
          <NumberInput
            label={t('applications.temperature')}
            placeholder="—"
            min={0}
            max={2}
            step={0.1}
            decimalScale={2}
            {...form.getInputProps('temperature')}
          />
        </SimpleGrid>
        <MultiSelect
          label={t('trace.stagesOff')}
          description={t('trace.stagesOffHint')}
          data={stageNames.map((value) => ({ value, label: stageWord(value) ?? value }))}
          clearButtonProps={{ 'aria-label': t('common.clear') }}
          {...form.getInputProps('stages_off')}
        />
        <Accordion variant="separated">
          <Accordion.Item value="prompts">
            <Accordion.Control>{t('trace.prompts')}</Accordion.Control>
            <Accordion.Panel>
              <Stack>
                {situations.map((name) => (
                  <Textarea
                    key={name}
                    label={t(`trace.situations.${name}`)}
                    placeholder={t('trace.builtIn')}
                    autosize
                    minRows={2}
                    maxRows={12}
                    {...form.getInputProps(`prompts.${name}`)}
                  />
                ))}
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
        {ask.error && <Problem error={ask.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={ask.isPending}>
            {t('trace.againNow')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
