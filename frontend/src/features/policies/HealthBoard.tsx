/** Every model: its breaker, the share of good calls, the last health check in words, and its policy. */
import { Badge, Button, Select, Table, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  listFallbackPoliciesOptions,
  listFallbackPoliciesQueryKey,
  listModelHealthOptions,
  listModelHealthQueryKey,
  listModelsOptions,
} from '../../api/generated/@tanstack/react-query.gen';
import { changeModel, probeModel } from '../../api/generated/sdk.gen';
import type { ModelHealthView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { useNotify } from '../../components/useNotify';
import { ModelSetup } from './ModelSetup';
import classes from './Policies.module.css';

const colours = { closed: 'lamp', half_open: 'yellow', open: 'red' } as const;

export function HealthBoard() {
  const { t } = useTranslation();
  const health = useQuery({ ...listModelHealthOptions(), refetchInterval: 5_000 });
  const policies = useQuery(listFallbackPoliciesOptions());
  const models = useQuery(listModelsOptions());
  const [settingUp, setSettingUp] = useState<string | null>(null);
  const chosen = models.data?.items.find((model) => model.id === settingUp);
  const names = (policies.data?.items ?? []).map((policy) => ({ value: policy.id, label: policy.policy_id }));
  return (
    <div>
      <Title order={2} size="h5" mt="lg" mb="md">
        {t('policies.health')}
      </Title>
      {health.isPending && <Skeletons rows={3} />}
      {health.error && <Problem error={health.error} onRetry={health.refetch} />}
      {health.data && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        <section className={classes.frame} tabIndex={0} aria-label={t('policies.health')}>
          <Table verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('policies.model')}</Table.Th>
                <Table.Th>{t('policies.state')}</Table.Th>
                <Table.Th>{t('policies.day')}</Table.Th>
                <Table.Th>{t('policies.month')}</Table.Th>
                <Table.Th>{t('policies.lastCheck')}</Table.Th>
                <Table.Th>{t('policies.policy')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {health.data.items.map((row) => (
                <HealthRow
                  key={row.model.id}
                  row={row}
                  policies={names}
                  onSetUp={() => setSettingUp(row.model.id)}
                />
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
      {chosen && <ModelSetup key={chosen.id} model={chosen} onClose={() => setSettingUp(null)} />}
    </div>
  );
}

interface RowProps {
  row: ModelHealthView;
  policies: { value: string; label: string }[];
  onSetUp: () => void;
}

function HealthRow({ row, policies, onSetUp }: RowProps) {
  const { t, i18n } = useTranslation();
  const { mayManage } = useCaller();
  const { failed } = useNotify();
  const client = useQueryClient();
  const path = { model_id: row.model.id };
  const refresh = () => {
    client.invalidateQueries({ queryKey: listFallbackPoliciesQueryKey() });
    return client.invalidateQueries({ queryKey: listModelHealthQueryKey() });
  };
  const probe = useMutation({
    mutationFn: () => probeModel({ path, throwOnError: true }),
    onSuccess: refresh,
    onError: failed,
  });
  const assign = useMutation({
    mutationFn: (policy: string | null) =>
      changeModel({ path, body: { fallback_policy_id: policy }, throwOnError: true }),
    onSettled: refresh,
    onError: failed,
  });
  const share = (sla: ModelHealthView['day']) =>
    sla.figure === null
      ? t('policies.noCalls')
      : t('policies.share', {
          share: new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 2 }).format(
            sla.figure,
          ),
          count: sla.calls,
        });
  const chosen = policies.find((policy) => policy.label === row.policy)?.value ?? null;
  const isEmbedded = row.provider === 'embedded';
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={600}>
          {row.model.name}
        </Text>
        <Text size="xs" c="dimmed">
          {t(`models.kinds.${row.kind}`)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Badge color={colours[row.state]}>{t(`policies.states.${row.state}`)}</Badge>
        {row.last_failure && row.state !== 'closed' && (
          <Text size="xs" c="dimmed" mt={4}>
            {t('policies.lastFailure', {
              code: String(row.last_failure.response_code),
              error: String(row.last_failure.code),
            })}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Text size="sm">{share(row.day)}</Text>
      </Table.Td>
      <Table.Td>
        <Text size="sm">{share(row.month)}</Text>
      </Table.Td>
      <Table.Td maw={320}>
        <Text size="sm">
          {row.last_probe
            ? t(`policies.findings.${row.last_probe.finding}`, { ms: row.last_probe.latency_ms })
            : t('policies.neverChecked')}
        </Text>
        {mayManage && row.health_check.path && (
          <Button size="compact-xs" variant="subtle" loading={probe.isPending} onClick={() => probe.mutate()}>
            {t('policies.checkNow')}
          </Button>
        )}
        {mayManage && !isEmbedded && (
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={t('policies.setUp', { model: row.model.name })}
            onClick={onSetUp}
          >
            {t('policies.setUpShort')}
          </Button>
        )}
      </Table.Td>
      <Table.Td>
        {mayManage && !isEmbedded ? (
          <Select
            size="xs"
            w={180}
            clearable
            aria-label={t('policies.policyOf', { model: row.model.name })}
            placeholder={t('policies.none')}
            data={policies}
            value={chosen}
            disabled={assign.isPending}
            onChange={(value) => assign.mutate(value)}
          />
        ) : (
          <Text size="sm">{row.policy ?? t('policies.none')}</Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
