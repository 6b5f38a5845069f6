/** How a text is cut into paragraphs; what is left empty comes from the profile. */
import { NumberInput, SegmentedControl, Select, Stack, Switch, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SplitOptions } from '../../api/generated/types.gen';
import { PatternFields } from './PatternFields';

interface Props {
  value: SplitOptions;
  onChange: (value: SplitOptions) => void;
  /** A text on which patterns are tried while they are written. */
  sample?: string;
}

const profiles = ['standard', 'compact', 'structured'] as const;
const units = ['characters', 'tokens'] as const;
const sheetForms = ['auto', 'rows', 'table'] as const;
const numberOrNull = (value: string | number) => (typeof value === 'number' ? value : null);

export function SplitFields({ value, onChange, sample }: Props) {
  const { t } = useTranslation();
  const set = (part: Partial<SplitOptions>) => onChange({ ...value, ...part });
  const profile = value.profile ?? 'standard';
  const unit = value.unit ?? (profile === 'compact' ? 'tokens' : 'characters');
  return (
    <Stack gap="md">
      <Select
        label={t('splitting.profile')}
        description={t(`splitting.profileHint.${profile}`)}
        value={profile}
        onChange={(chosen) => set({ profile: profiles.find((one) => one === chosen) ?? 'standard' })}
        data={profiles.map((one) => ({ value: one, label: t(`splitting.profiles.${one}`) }))}
      />
      <div>
        <NumberInput
          label={t('splitting.limit')}
          placeholder={t('splitting.ofProfile')}
          min={50}
          max={100_000}
          allowDecimal={false}
          value={value.limit ?? ''}
          onChange={(limit) => set({ limit: numberOrNull(limit) })}
        />
        <SegmentedControl
          mt={6}
          size="xs"
          fullWidth
          aria-label={t('splitting.unit')}
          value={unit}
          onChange={(chosen) => set({ unit: units.find((one) => one === chosen) ?? null })}
          data={units.map((one) => ({ value: one, label: t(`splitting.units.${one}`) }))}
        />
      </div>
      <NumberInput
        label={t('splitting.minSize')}
        description={t('splitting.minSizeHint')}
        placeholder={t('splitting.ofProfile')}
        min={0}
        max={100_000}
        allowDecimal={false}
        value={value.min_size ?? ''}
        onChange={(size) => set({ min_size: numberOrNull(size) })}
      />
      <NumberInput
        label={t('splitting.overlap')}
        description={t('splitting.overlapHint')}
        placeholder={t('splitting.ofProfile')}
        min={0}
        max={Math.min(300, (value.limit ?? 301) - 1)}
        allowDecimal={false}
        value={value.overlap ?? ''}
        onChange={(overlap) => set({ overlap: numberOrNull(overlap) })}
      />
      <PatternFields
        patterns={value.patterns ?? []}
        onChange={(patterns) => set({ patterns })}
        sample={sample}
      />
      <Select
        label={t('splitting.sheetForm')}
        value={value.sheet_form ?? 'auto'}
        onChange={(chosen) => set({ sheet_form: sheetForms.find((one) => one === chosen) ?? 'auto' })}
        data={sheetForms.map((one) => ({ value: one, label: t(`splitting.sheetForms.${one}`) }))}
      />
      <Stack gap="xs">
        <Switch
          label={t('splitting.withFilter')}
          checked={value.with_filter ?? true}
          onChange={(event) => set({ with_filter: event.currentTarget.checked })}
        />
        <Switch
          label={t('splitting.includeComments')}
          checked={value.include_comments ?? false}
          onChange={(event) => set({ include_comments: event.currentTarget.checked })}
        />
        <Switch
          label={t('splitting.includeRunning')}
          checked={value.include_running ?? false}
          onChange={(event) => set({ include_running: event.currentTarget.checked })}
        />
      </Stack>
      <Text size="xs" c="dimmed">
        {t('splitting.readAgain')}
      </Text>
    </Stack>
  );
}
