/** The settings of a search. What is seldom changed is folded away. */
import {
  Badge,
  Collapse,
  MultiSelect,
  NumberInput,
  Select,
  Slider,
  Stack,
  Switch,
  Text,
  UnstyledButton,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatScore } from '../../i18n/format';
import { useBases } from '../knowledge/useBases';
import { RerankerSelect } from '../models/RerankerSelect';
import { StrategySelect } from '../search/StrategySelect';
import { DocumentFilter } from './DocumentFilter';
import classes from './HitTest.module.css';
import { changedCount, contexts, modes, type TestSettings, withBases } from './settings';

interface Props {
  value: TestSettings;
  onChange: (value: TestSettings) => void;
}

export function SettingsFields({ value, onChange }: Props) {
  const { t } = useTranslation();
  const [opened, { toggle }] = useDisclosure(changedCount(value) > 0);
  const bases = useBases();
  const set = (part: Partial<TestSettings>) => onChange({ ...value, ...part });
  const changed = changedCount(value);
  return (
    <Stack>
      <Select
        label={t('knowledge.mode')}
        description={t(`knowledge.modeHint.${value.mode}`)}
        value={value.mode}
        onChange={(mode) => set({ mode: modes.find((one) => one === mode) ?? 'blend' })}
        data={modes.map((mode) => ({ value: mode, label: t(`knowledge.modes.${mode}`) }))}
        allowDeselect={false}
      />
      <Share
        label={t('knowledge.threshold')}
        hint={t('knowledge.thresholdHint')}
        value={value.similarity}
        mark={0.45}
        onChange={(similarity) => set({ similarity })}
      />
      <NumberInput
        label={t('knowledge.topN')}
        value={value.topN}
        onChange={(topN) => set({ topN: Math.min(100, Math.max(1, Number(topN) || 5)) })}
        min={1}
        max={100}
        allowDecimal={false}
      />
      <UnstyledButton className={classes.fold} onClick={toggle} aria-expanded={opened}>
        {opened ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
        {t('hitTest.moreSettings')}
        {changed > 0 && !opened && <Badge size="sm">{changed}</Badge>}
      </UnstyledButton>
      <Collapse expanded={opened}>
        <Stack>
          <MultiSelect
            label={t('hitTest.bases')}
            data={(bases.data ?? []).map((base) => ({ value: base.id, label: base.name }))}
            value={value.bases}
            onChange={(chosen) => chosen.length > 0 && onChange(withBases(value, chosen))}
            searchable
            hidePickedOptions
          />
          {value.bases.length > 1 && (
            <Switch
              label={t('hitTest.route')}
              description={t('hitTest.routeHint')}
              checked={value.route}
              onChange={(event) => set({ route: event.currentTarget.checked })}
            />
          )}
          {opened && (
            <DocumentFilter
              baseIds={value.bases}
              value={value.documents}
              onChange={(documents) => set({ documents })}
            />
          )}
          <Share
            label={t('hitTest.drop')}
            hint={t('hitTest.dropHint')}
            value={value.drop}
            mark={0.15}
            onChange={(drop) => set({ drop })}
          />
          <StrategySelect
            label={t('knowledge.strategy')}
            value={value.strategy}
            onChange={(strategy) => set({ strategy })}
          />
          <Share
            label={t('hitTest.diversity')}
            hint={t('hitTest.diversityHint')}
            value={value.diversity}
            onChange={(diversity) => set({ diversity })}
          />
          <Share
            label={t('hitTest.recency')}
            hint={t('hitTest.recencyHint')}
            value={value.recency}
            onChange={(recency) => set({ recency })}
          />
          <RerankerSelect value={value.reranker} onChange={(reranker) => set({ reranker })} />
          <Select
            label={t('applications.context')}
            description={t(`applications.contextHints.${value.context}`)}
            value={value.context}
            onChange={(name) => set({ context: contexts.find((one) => one === name) ?? 'paragraph' })}
            data={contexts.map((name) => ({ value: name, label: t(`applications.contexts.${name}`) }))}
            allowDeselect={false}
          />
          {value.context === 'window' && (
            <NumberInput
              label={t('applications.windowChars')}
              description={t('applications.windowCharsHint')}
              value={value.windowChars}
              onChange={(chars) => set({ windowChars: Number(chars) || 1200 })}
              clampBehavior="blur"
              min={200}
              max={20_000}
              step={100}
              allowDecimal={false}
              thousandSeparator=" "
            />
          )}
        </Stack>
      </Collapse>
    </Stack>
  );
}

interface ShareProps {
  label: string;
  hint: string;
  value: number;
  mark?: number;
  onChange: (value: number) => void;
}

function Share({ label, hint, value, mark, onChange }: ShareProps) {
  const id = useId();
  return (
    <div>
      <div className={classes.shareHead}>
        <Text size="sm" fw={600} id={id}>
          {label}
        </Text>
        <Text size="sm" c="dimmed" className={classes.number}>
          {formatScore(value)}
        </Text>
      </div>
      <Text size="xs" c="dimmed" mb={6}>
        {hint}
      </Text>
      <Slider
        value={value}
        onChange={onChange}
        min={0}
        max={1}
        step={0.01}
        label={formatScore}
        thumbProps={{ 'aria-labelledby': id }}
        marks={mark === undefined ? [] : [{ value: mark, label: formatScore(mark) }]}
        mb={mark === undefined ? 4 : 'md'}
      />
    </div>
  );
}
