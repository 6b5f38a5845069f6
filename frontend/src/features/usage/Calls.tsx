/** Single calls of the range, the newest first: what each was for, what it took, and how it ended. */
import { Badge, Button, Group, Select, Switch, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listModelCallsQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { listModelCalls } from '../../api/generated/sdk.gen';
import type { CallView } from '../../api/generated/types.gen';
import { LoadMore } from '../../components/LoadMore';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { useCursorList } from '../../components/useCursorList';
import { formatDateTime, formatNumber } from '../../i18n/format';
import { useWordFor } from '../../i18n/useWordFor';
import classes from '../settings/SettingsTable.module.css';
import { useSubjects } from './useSubjects';
import { formatMoney, formatMs } from './words';

const perPage = 50;

export function Calls({ bounds }: { bounds: { since: string; until: string } }) {
  const { t } = useTranslation();
  const { named } = useSubjects();
  const [isOpen, setOpen] = useState(false);
  const [modelId, setModelId] = useState<string | null>(null);
  const [failedOnly, setFailedOnly] = useState(false);
  return (
    <div>
      <Group justify="space-between" align="flex-end" mb="md">
        <div>
          <Title order={2} size="h5">
            {t('usage.single')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('usage.singleText')}
          </Text>
        </div>
        {!isOpen && (
          <Button variant="default" onClick={() => setOpen(true)}>
            {t('usage.showSingle')}
          </Button>
        )}
        {isOpen && (
          <Group>
            <Switch
              label={t('usage.failedOnly')}
              checked={failedOnly}
              onChange={(event) => setFailedOnly(event.currentTarget.checked)}
            />
            <Select
              aria-label={t('usage.groupings.model')}
              placeholder={t('usage.allModels')}
              data={named.model}
              value={modelId}
              onChange={setModelId}
              clearable
              searchable
            />
          </Group>
        )}
      </Group>
      {isOpen && (
        <CallTable
          query={{
            ...bounds,
            ...(modelId ? { model_id: modelId } : {}),
            ...(failedOnly ? { failed: true } : {}),
            limit: perPage,
          }}
        />
      )}
    </div>
  );
}

type Query = NonNullable<Parameters<typeof listModelCalls>[0]['query']>;

function CallTable({ query }: { query: Query }) {
  const { t } = useTranslation();
  const calls = useCursorList(listModelCallsQueryKey({ query }), (cursor, signal) =>
    listModelCalls({ query: { ...query, ...cursor }, signal, throwOnError: true }),
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={classes.frame} tabIndex={0} aria-label={t('usage.single')}>
      {calls.isPending && <Skeletons rows={4} />}
      {calls.error && <Problem error={calls.error} onRetry={calls.refetch} />}
      {calls.isSuccess && calls.items.length === 0 && (
        <Text size="sm" c="dimmed" p="md">
          {t('usage.noneSingle')}
        </Text>
      )}
      {calls.items.length > 0 && (
        <Table verticalSpacing="xs" style={{ fontVariantNumeric: 'tabular-nums' }}>
          <Table.Thead style={{ whiteSpace: 'nowrap' }}>
            <Table.Tr>
              <Table.Th>{t('usage.at')}</Table.Th>
              <Table.Th>{t('usage.groupings.model')}</Table.Th>
              <Table.Th>{t('usage.groupings.path')}</Table.Th>
              <Table.Th>{t('usage.outcome')}</Table.Th>
              <Table.Th ta="right">{t('usage.input')}</Table.Th>
              <Table.Th ta="right">{t('usage.output')}</Table.Th>
              <Table.Th ta="right">{t('usage.figures.firstToken')}</Table.Th>
              <Table.Th ta="right">{t('usage.took')}</Table.Th>
              <Table.Th ta="right">{t('usage.figures.cost')}</Table.Th>
              <Table.Th>{t('usage.who')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {calls.items.map((call) => (
              <CallRow key={call.id} call={call} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      <LoadMore list={calls} />
    </section>
  );
}

function CallRow({ call }: { call: CallView }) {
  const { t } = useTranslation();
  const pathName = useWordFor('usage.paths');
  const { nameOf } = useSubjects();
  const who = [
    call.user_id && (nameOf('user', call.user_id) ?? t('usage.gone')),
    call.api_key_id && (nameOf('api_key', call.api_key_id) ?? t('usage.gone')),
    call.application_id && (nameOf('application', call.application_id) ?? t('usage.gone')),
  ].filter((name) => typeof name === 'string');
  const nameOfModel = nameOf('model', call.model_id) ?? t('usage.gone');
  return (
    <Table.Tr title={call.request_id ?? undefined}>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{formatDateTime(call.at)}</Table.Td>
      <Table.Td>
        {nameOfModel}
        {call.switched_from && (
          <Text size="xs" c="dimmed">
            {t('usage.insteadOf', { model: nameOf('model', call.switched_from) ?? t('usage.gone') })}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{pathName(call.path) ?? call.path}</Table.Td>
      <Table.Td>
        <Outcome call={call} />
      </Table.Td>
      <Table.Td ta="right">{formatNumber(call.input_tokens)}</Table.Td>
      <Table.Td ta="right">{formatNumber(call.output_tokens)}</Table.Td>
      <Table.Td ta="right">{call.first_token_ms == null ? '–' : formatMs(call.first_token_ms)}</Table.Td>
      <Table.Td ta="right">{formatMs(call.latency_ms)}</Table.Td>
      <Table.Td ta="right">
        {call.cost == null || !call.currency ? '–' : formatMoney(call.cost, call.currency)}
      </Table.Td>
      <Table.Td>{who.length > 0 ? who.join(t('common.comma')) : t('usage.without.user')}</Table.Td>
    </Table.Tr>
  );
}

function Outcome({ call }: { call: CallView }) {
  const { t } = useTranslation();
  const problemName = useWordFor('problems');
  if (call.code === 'ok') {
    return <Badge>{t(call.is_cached ? 'usage.cachedAnswer' : 'usage.answered')}</Badge>;
  }
  const isOurs = call.code === 'cancelled';
  return (
    <>
      <Badge color={isOurs ? 'gray' : 'red'}>{isOurs ? t('usage.left') : call.code}</Badge>
      {!isOurs && problemName(call.code) && (
        <Text size="xs" c="dimmed">
          {t(call.is_attempt ? 'usage.triedElsewhere' : `usage.faults.${faultOf(call.fault)}`)}
        </Text>
      )}
    </>
  );
}

const faults = ['model', 'gateway', 'caller'] as const;
const faultOf = (fault: string) => faults.find((one) => one === fault) ?? 'caller';
