import { NumberInput, Select, SimpleGrid, Slider, Stack, Switch, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { formatScore } from '../../i18n/format';
import { RerankerSelect } from '../models/RerankerSelect';
import { StrategySelect } from '../search/StrategySelect';
import type { ApplicationValues } from './values';

const modes = ['blend', 'embedding', 'keywords'] as const;
const contexts = ['paragraph', 'window'] as const;

export function SearchFields({ form }: { form: UseFormReturnType<ApplicationValues> }) {
  const { t } = useTranslation();
  return (
    <Stack>
      <Select
        label={t('knowledge.mode')}
        description={t(`knowledge.modeHint.${form.values.mode}`)}
        data={modes.map((value) => ({ value, label: t(`knowledge.modes.${value}`) }))}
        {...form.getInputProps('mode')}
      />
      <div>
        <Text size="sm" fw={600} id="application-threshold">
          {t('knowledge.threshold')}
        </Text>
        <Text size="xs" c="dimmed" mb={6}>
          {t('knowledge.thresholdHint')}
        </Text>
        <Slider
          min={0}
          max={1}
          step={0.01}
          label={formatScore}
          marks={[{ value: 0.45, label: formatScore(0.45) }]}
          mb="lg"
          thumbProps={{ 'aria-labelledby': 'application-threshold' }}
          {...form.getInputProps('similarity')}
        />
      </div>
      <NumberInput
        label={t('knowledge.topN')}
        description={t('applications.topNHint')}
        min={1}
        max={50}
        allowDecimal={false}
        {...form.getInputProps('top_n')}
      />
      <StrategySelect
        label={t('knowledge.strategy')}
        value={form.values.strategy}
        onChange={(strategy) => form.setFieldValue('strategy', strategy)}
      />
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <NumberInput
          label={t('applications.drop')}
          description={t('applications.dropHint')}
          placeholder="—"
          min={0.01}
          max={1}
          step={0.05}
          decimalScale={2}
          {...form.getInputProps('drop')}
        />
        <NumberInput
          label={t('applications.diversity')}
          description={t('applications.diversityHint')}
          min={0}
          max={1}
          step={0.1}
          decimalScale={2}
          {...form.getInputProps('diversity')}
        />
        <NumberInput
          label={t('applications.recency')}
          description={t('applications.recencyHint')}
          min={0}
          max={1}
          step={0.1}
          decimalScale={2}
          {...form.getInputProps('recency')}
        />
      </SimpleGrid>
      <Switch
        label={t('applications.routeBases')}
        description={t('applications.routeBasesHint')}
        {...form.getInputProps('route_bases', { type: 'checkbox' })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={t('applications.context')}
          description={t(`applications.contextHints.${form.values.context}`)}
          data={contexts.map((value) => ({ value, label: t(`applications.contexts.${value}`) }))}
          allowDeselect={false}
          {...form.getInputProps('context')}
        />
        {form.values.context === 'window' && (
          <NumberInput
            label={t('applications.windowChars')}
            description={t('applications.windowCharsHint')}
            min={200}
            max={20_000}
            step={100}
            allowDecimal={false}
            thousandSeparator=" "
            {...form.getInputProps('window_chars')}
          />
        )}
      </SimpleGrid>
      <RerankerSelect {...form.getInputProps('reranker')} />
      {form.values.reranker && (
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <NumberInput
            label={t('applications.rerankCandidates')}
            min={1}
            max={200}
            allowDecimal={false}
            {...form.getInputProps('rerank_candidates')}
          />
          <NumberInput
            label={t('applications.rerankMinScore')}
            description={t('applications.rerankMinScoreHint')}
            placeholder="—"
            decimalScale={4}
            {...form.getInputProps('rerank_min_score')}
          />
          <NumberInput
            label={t('applications.rerankTimeout')}
            min={0.1}
            max={60}
            decimalScale={1}
            {...form.getInputProps('rerank_timeout_s')}
          />
        </SimpleGrid>
      )}
      <NumberInput
        label={t('applications.maxContext')}
        description={t('applications.maxContextHint')}
        min={200}
        max={200_000}
        step={1000}
        allowDecimal={false}
        thousandSeparator=" "
        {...form.getInputProps('max_context_chars')}
      />
    </Stack>
  );
}
