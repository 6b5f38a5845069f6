/** The variants of a comparison: two to six ways of answering, each with a name of its own. */
import {
  ActionIcon,
  Alert,
  Button,
  Group,
  NumberInput,
  Paper,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listModelsOptions } from '../../api/generated/@tanstack/react-query.gen';
import { createComparison } from '../../api/generated/sdk.gen';
import type { ComparisonView, TestSetView, Variant } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';

const MOST = 6;
const ways = ['quoting', 'pipeline', 'agent'] as const;
const modes = ['blend', 'embedding', 'keywords'] as const;

interface Props {
  set: TestSetView;
  disabled: boolean;
  onStarted: (made: ComparisonView) => void;
}

export function ComparisonForm({ set, disabled, onStarted }: Props) {
  const { t } = useTranslation();
  const models = useQuery(listModelsOptions({ query: { kind: 'LLM' } }));
  const hasModel = (models.data?.items.length ?? 0) > 0;
  const fresh = (way: (typeof ways)[number]): Variant => ({
    name: t(`trace.answerings.${way}`),
    answering: way,
    mode: 'blend',
    top_n: 5,
  });
  const [variants, setVariants] = useState<Variant[]>(() => [fresh('quoting'), fresh('pipeline')]);
  const change = (place: number, values: Partial<Variant>) =>
    setVariants(variants.map((one, n) => (n === place ? { ...one, ...values } : one)));
  const start = useMutation({
    mutationFn: async () =>
      (await createComparison({ path: { test_set_id: set.id }, body: { variants }, throwOnError: true }))
        .data,
    onSuccess: onStarted,
  });
  return (
    <Paper
      component="form"
      className="rd-card"
      p="md"
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate();
      }}
    >
      <Stack>
        <Text size="sm" c="dimmed">
          {t('comparing.intro')}
        </Text>
        {variants.map((one, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a variant is its place
          <Group key={place} align="end" role="group" aria-label={t('comparing.variant', { n: place + 1 })}>
            <TextInput
              w={170}
              label={t('comparing.name')}
              required
              maxLength={80}
              value={one.name}
              onChange={(event) => change(place, { name: event.currentTarget.value })}
            />
            <Select
              w={170}
              label={t('trace.answering')}
              allowDeselect={false}
              value={one.answering ?? 'pipeline'}
              data={ways.map((value) => ({
                value,
                label: t(`trace.answerings.${value}`),
                disabled: value === 'agent' && !hasModel,
              }))}
              onChange={(value) => change(place, { answering: ways.find((way) => way === value) })}
            />
            <Select
              w={170}
              label={t('applications.model')}
              placeholder={t('applications.defaultModel')}
              clearable
              clearButtonProps={{ 'aria-label': t('common.clear') }}
              value={one.model_id ?? null}
              data={(models.data?.items ?? []).map((model) => ({ value: model.id, label: model.name }))}
              onChange={(value) => change(place, { model_id: value })}
            />
            <Select
              w={170}
              label={t('knowledge.mode')}
              allowDeselect={false}
              value={one.mode ?? 'blend'}
              data={modes.map((value) => ({ value, label: t(`knowledge.modes.${value}`) }))}
              onChange={(value) => change(place, { mode: modes.find((mode) => mode === value) })}
            />
            <NumberInput
              label={t('knowledge.topN')}
              w={140}
              min={1}
              max={50}
              allowDecimal={false}
              value={one.top_n ?? 5}
              onChange={(value) => change(place, { top_n: typeof value === 'number' ? value : 5 })}
            />
            <ActionIcon
              size={36}
              variant="default"
              aria-label={t('comparing.remove', { name: one.name })}
              disabled={variants.length <= 2}
              onClick={() => setVariants(variants.filter((_, n) => n !== place))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        ))}
        {models.data && !hasModel && (
          <Alert color="gray" variant="light">
            {t('applications.agentNeedsModel')}
          </Alert>
        )}
        {start.error && <Problem error={start.error} />}
        <Group>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} />}
            disabled={variants.length >= MOST}
            onClick={() =>
              setVariants([
                ...variants,
                { ...fresh('quoting'), name: `${t('comparing.name')} ${variants.length + 1}` },
              ])
            }
          >
            {t('comparing.add')}
          </Button>
          <Button type="submit" loading={start.isPending} disabled={disabled || set.question_count === 0}>
            {t('comparing.start', { count: set.question_count * variants.length })}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
