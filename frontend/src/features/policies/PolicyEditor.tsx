/** A fallback policy being entered: its rules are checked while one types, and can be tried without a call. */
import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  listFallbackPoliciesQueryKey,
  listModelHealthQueryKey,
  listModelsOptions,
} from '../../api/generated/@tanstack/react-query.gen';
import { changeFallbackPolicy, checkFallbackRules, createFallbackPolicy } from '../../api/generated/sdk.gen';
import type { PolicyView } from '../../api/generated/types.gen';
import { SideSheet } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { DryRunPanel } from './DryRunPanel';
import { RuleFields } from './RuleFields';
import { type Rule, ruleOf } from './rules';
import { useFaultText } from './useFaultText';

interface Props {
  policy: PolicyView | null;
  onClose: () => void;
}

export function PolicyEditor({ policy, onClose }: Props) {
  const { t } = useTranslation();
  const faultText = useFaultText();
  const client = useQueryClient();
  const [name, setName] = useState(policy?.policy_id ?? '');
  const [description, setDescription] = useState(policy?.description ?? '');
  const nextKey = useRef(0);
  const keyed = (rule: Rule) => ({ rule, key: nextKey.current++ });
  const [entries, setEntries] = useState(() => (policy?.rules ?? [ruleOf('switch_to_model')]).map(keyed));
  const rules = entries.map((entry) => entry.rule);
  const models = useQuery(listModelsOptions());
  const [settled] = useDebouncedValue(JSON.stringify(rules), 300);
  const check = useQuery({
    queryKey: ['check-fallback-rules', policy?.id, settled],
    queryFn: async ({ signal }) =>
      (
        await checkFallbackRules({
          body: { rules: JSON.parse(settled) as Rule[], policy: policy?.id ?? null },
          throwOnError: true,
          signal,
        })
      ).data,
    enabled: rules.every(isWhole),
    placeholderData: keepPreviousData,
  });
  const save = useMutation({
    mutationFn: async () => {
      const body = { policy_id: name, description, rules };
      if (policy) await changeFallbackPolicy({ path: { policy_id: policy.id }, body, throwOnError: true });
      else await createFallbackPolicy({ body, throwOnError: true });
    },
    onSuccess: () => {
      client.invalidateQueries({ queryKey: listFallbackPoliciesQueryKey() });
      client.invalidateQueries({ queryKey: listModelHealthQueryKey() });
      onClose();
    },
  });
  const faults = rules.every(isWhole) ? (check.data?.faults ?? []) : [];
  const general = faults.filter((fault) => fault.rule === null);
  return (
    <SideSheet
      opened
      onClose={onClose}
      size="xl"
      title={policy ? t('policies.edit', { policy: policy.policy_id }) : t('policies.add')}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack>
          <TextInput
            label={t('policies.name')}
            description={t('policies.nameHint')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            maxLength={100}
            required
            data-autofocus
          />
          <Textarea
            label={t('policies.description')}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
            maxLength={500}
            autosize
          />
          <Text size="sm" c="dimmed">
            {t('policies.variables')}
          </Text>
          {entries.map(({ rule, key }, at) => (
            <RuleFields
              key={key}
              number={at + 1}
              rule={rule}
              models={models.data?.items ?? []}
              faults={faults.filter((fault) => fault.rule === at + 1)}
              onChange={(changed) =>
                setEntries(entries.map((one) => (one.key === key ? { key, rule: changed } : one)))
              }
              onRemove={
                entries.length > 1 ? () => setEntries(entries.filter((one) => one.key !== key)) : undefined
              }
            />
          ))}
          {general.map((fault) => (
            <Text key={fault.message} size="sm" c="red" role="alert">
              {faultText(fault)}
            </Text>
          ))}
          <Group>
            <Button
              variant="default"
              leftSection={<IconPlus size={16} />}
              onClick={() => setEntries([...entries, keyed(ruleOf('retry'))])}
              disabled={entries.length >= 20}
            >
              {t('policies.addRule')}
            </Button>
          </Group>
          <DryRunPanel rules={rules} isReady={rules.every(isWhole) && faults.length === 0} policy={policy} />
          {save.error && <Problem error={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </SideSheet>
  );
}

/** Whether a rule is filled in far enough to be checked. */
function isWhole(rule: Rule): boolean {
  if (rule.condition.trim() === '') return false;
  if (rule.action === 'switch_to_model') return rule.target_model_id !== '';
  return rule.action !== 'reject' || rule.message.trim() !== '';
}
