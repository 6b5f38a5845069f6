/** One intent: what it is, how people ask for it, and what answers it. What was typed stays when saving fails. */
import {
  Button,
  Group,
  MultiSelect,
  NumberInput,
  Paper,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listKnowledgeBasesOptions, listToolsOptions } from '../../api/generated/@tanstack/react-query.gen';
import { updateIntent } from '../../api/generated/sdk.gen';
import type { IntentOut } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { useNotify } from '../../components/useNotify';
import { type IntentValues, patchOf, valuesOf } from './intentValues';

interface Props {
  applicationId: string;
  node: IntentOut;
  mayWrite: boolean;
  onSaved: () => unknown;
}

export function IntentEditor({ applicationId, node, mayWrite, onSaved }: Props) {
  const { t } = useTranslation();
  const { done } = useNotify();
  const bases = useQuery(listKnowledgeBasesOptions({ query: { limit: 500 } }));
  const tools = useQuery(listToolsOptions());
  const form = useForm<IntentValues>({ initialValues: valuesOf(node) });
  const save = useMutation({
    mutationFn: async (values: IntentValues) =>
      (
        await updateIntent({
          path: { application_id: applicationId, intent_id: node.id },
          body: patchOf(values),
          throwOnError: true,
        })
      ).data,
    onSuccess: (saved) => {
      form.setInitialValues(valuesOf(saved));
      form.setValues(valuesOf(saved));
      done(t('common.saved'));
      onSaved();
    },
  });
  const { kind } = form.values;
  const toolIds = (tools.data?.items ?? []).map((tool) => ({
    value: tool.id,
    label: tool.title || tool.name,
  }));
  const known = form.values.tool_id;
  if (known && !toolIds.some((one) => one.value === known)) toolIds.push({ value: known, label: known });
  return (
    <Paper
      component="form"
      className="rd-card"
      p="lg"
      aria-label={t('intents.editing', { name: node.name })}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
    >
      <fieldset disabled={!mayWrite} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
        <Stack>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput label={t('common.name')} required maxLength={200} {...form.getInputProps('name')} />
            <TextInput
              label={t('intents.code')}
              description={t('intents.codeHint')}
              required
              maxLength={64}
              {...form.getInputProps('code')}
            />
          </SimpleGrid>
          <Textarea
            label={t('common.description')}
            description={t('intents.descriptionHint')}
            autosize
            minRows={1}
            maxRows={6}
            maxLength={2000}
            {...form.getInputProps('description')}
          />
          <div>
            <Text size="sm" fw={600} id="intent-kind" mb={4}>
              {t('intents.kind')}
            </Text>
            <SegmentedControl
              fullWidth
              aria-labelledby="intent-kind"
              data={(['kb', 'system', 'mcp'] as const).map((name, value) => ({
                value: String(value),
                label: t(`intents.kinds.${name}`),
              }))}
              {...form.getInputProps('kind')}
            />
          </div>
          {!node.is_leaf && (
            <Text size="sm" c="dimmed">
              {t('intents.notALeaf')}
            </Text>
          )}
          <Textarea
            label={t('intents.examples')}
            description={t('intents.examplesHint')}
            autosize
            minRows={4}
            maxRows={16}
            {...form.getInputProps('examples')}
          />
          {kind === '0' && (
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <MultiSelect
                label={t('intents.bases')}
                description={t('intents.basesHint')}
                data={(bases.data?.items ?? []).map((base) => ({ value: base.id, label: base.name }))}
                searchable
                {...form.getInputProps('knowledge_base_ids')}
              />
              <NumberInput
                label={t('knowledge.topN')}
                description={t('intents.topKHint')}
                min={1}
                max={50}
                allowDecimal={false}
                {...form.getInputProps('top_k')}
              />
            </SimpleGrid>
          )}
          {kind === '1' && (
            <>
              <Textarea
                label={t('intents.reply')}
                description={t('intents.replyHint')}
                autosize
                minRows={2}
                maxLength={4000}
                {...form.getInputProps('reply')}
              />
              <Textarea
                label={t('intents.systemPrompt')}
                description={t('intents.systemPromptHint')}
                autosize
                minRows={2}
                maxLength={4000}
                {...form.getInputProps('system_prompt')}
              />
            </>
          )}
          {kind === '2' && (
            <>
              <Select
                label={t('intents.tool')}
                description={t('intents.toolHint')}
                required
                searchable
                data={toolIds}
                {...form.getInputProps('tool_id')}
              />
              <Textarea
                label={t('intents.parameterPrompt')}
                description={t('intents.parameterPromptHint')}
                autosize
                minRows={2}
                maxLength={4000}
                {...form.getInputProps('parameter_prompt')}
              />
            </>
          )}
          {kind !== '1' && (
            <Textarea
              label={t('intents.answerRule')}
              description={t('intents.answerRuleHint')}
              autosize
              minRows={1}
              maxLength={4000}
              {...form.getInputProps('answer_rule')}
            />
          )}
          <Switch label={t('intents.enabled')} {...form.getInputProps('enabled', { type: 'checkbox' })} />
          {save.error && <Problem error={save.error} />}
          {mayWrite && (
            <Group>
              <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
                {t('common.save')}
              </Button>
            </Group>
          )}
        </Stack>
      </fieldset>
    </Paper>
  );
}
