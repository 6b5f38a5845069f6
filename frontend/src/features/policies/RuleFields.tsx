/** One rule: when it applies and what it does. */
import { ActionIcon, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ModelView, RuleFault } from '../../api/generated/types.gen';
import classes from './Policies.module.css';
import { type Action, actions, type Rule, ruleOf } from './rules';
import { useFaultText } from './useFaultText';

interface Props {
  number: number;
  rule: Rule;
  models: ModelView[];
  faults: RuleFault[];
  onChange: (rule: Rule) => void;
  onRemove: (() => void) | undefined;
}

export function RuleFields({ number, rule, models, faults, onChange, onRemove }: Props) {
  const { t } = useTranslation();
  const faultText = useFaultText();
  const ofCondition = faults.find((fault) => fault.code === 'condition-invalid');
  const others = faults.filter((fault) => fault !== ofCondition);
  return (
    <fieldset className={classes.rule} style={{ margin: 0 }}>
      <Group justify="space-between" mb="xs">
        <Text component="legend" fw={600} size="sm">
          {t('policies.rule', { number })}
        </Text>
        {onRemove && (
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={t('policies.removeRule', { number })}
            onClick={onRemove}
          >
            <IconTrash size={16} />
          </ActionIcon>
        )}
      </Group>
      <Stack gap="sm">
        <TextInput
          label={t('policies.condition')}
          value={rule.condition}
          onChange={(event) => onChange({ ...rule, condition: event.currentTarget.value })}
          error={ofCondition && faultText(ofCondition)}
          maxLength={1000}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          required
        />
        <Select
          label={t('policies.action')}
          data={actions.map((action) => ({ value: action, label: t(`policies.actions.${action}`) }))}
          value={rule.action}
          onChange={(value) => value && onChange(ruleOf(value as Action, rule.condition))}
          allowDeselect={false}
        />
        <ActionFields rule={rule} models={models} onChange={onChange} />
        {others.map((fault) => (
          <Text key={fault.message} size="sm" c="red" role="alert">
            {faultText(fault)}
          </Text>
        ))}
      </Stack>
    </fieldset>
  );
}

function ActionFields({ rule, models, onChange }: Pick<Props, 'rule' | 'models' | 'onChange'>) {
  const { t } = useTranslation();
  const count = (value: string | number) => (typeof value === 'number' ? value : 0);
  switch (rule.action) {
    case 'switch_to_model':
      return (
        <Group grow align="flex-start">
          <Select
            label={t('policies.target')}
            data={models
              .filter((model) => model.provider !== 'embedded')
              .map((model) => ({ value: model.id, label: model.name }))}
            value={rule.target_model_id || null}
            onChange={(value) => onChange({ ...rule, target_model_id: value ?? '' })}
            searchable
            required
          />
          <NumberInput
            label={t('policies.triedBefore')}
            min={0}
            max={10}
            value={rule.retry_times ?? 0}
            onChange={(value) => onChange({ ...rule, retry_times: count(value) })}
          />
        </Group>
      );
    case 'retry':
      return (
        <Group grow align="flex-start">
          <NumberInput
            label={t('policies.times')}
            min={1}
            max={10}
            value={rule.retry_times ?? 2}
            onChange={(value) => onChange({ ...rule, retry_times: count(value) || 1 })}
          />
          <NumberInput
            label={t('policies.backoff')}
            min={0}
            max={60_000}
            value={rule.backoff_ms ?? 500}
            onChange={(value) => onChange({ ...rule, backoff_ms: count(value) })}
          />
        </Group>
      );
    case 'rate_limit':
      return (
        <Group grow align="flex-start">
          <NumberInput
            label={t('policies.delay')}
            min={0}
            max={60_000}
            value={rule.delay_ms ?? 1000}
            onChange={(value) => onChange({ ...rule, delay_ms: count(value) })}
          />
          <NumberInput
            label={t('policies.times')}
            min={1}
            max={10}
            value={rule.retry_times ?? 1}
            onChange={(value) => onChange({ ...rule, retry_times: count(value) || 1 })}
          />
        </Group>
      );
    case 'reject':
      return (
        <TextInput
          label={t('policies.message')}
          value={rule.message}
          onChange={(event) => onChange({ ...rule, message: event.currentTarget.value })}
          maxLength={500}
          required
        />
      );
  }
}
