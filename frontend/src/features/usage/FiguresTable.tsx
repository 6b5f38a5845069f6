/** The figures of a range for each model, application, person, key or kind of work. */
import { Group, Select, Table, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getUsageFiguresOptions } from '../../api/generated/@tanstack/react-query.gen';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { formatNumber, formatPercent } from '../../i18n/format';
import { useWordFor } from '../../i18n/useWordFor';
import { useSourceChoices } from '../ask/sources';
import classes from '../settings/SettingsTable.module.css';
import { formatCosts, formatMs, formatShort } from './words';

const groupings = ['model', 'application', 'user', 'api_key', 'path'] as const;
const own = ['model', 'application', 'path'] as const;
type By = (typeof groupings)[number];

interface Props {
  bounds: { since: string; until: string };
  /** Whoever sees their own calls only has no people to compare. */
  isOwn: boolean;
}

export function FiguresTable({ bounds, isOwn }: Props) {
  const { t } = useTranslation();
  const pathName = useWordFor('usage.paths');
  const { applications } = useSourceChoices();
  const [by, setBy] = useState<By>('model');
  const figures = useQuery({
    ...getUsageFiguresOptions({ query: { ...bounds, by } }),
    placeholderData: keepPreviousData,
  });
  const choices = isOwn ? own : groupings;
  const shownBy = figures.data?.by ?? by;
  const nameOf = (key: string | null, name: string | null | undefined) => {
    if (name) return name;
    if (key === null) return t(`usage.without.${by}`);
    if (shownBy === 'path') return pathName(key);
    if (shownBy === 'application') return applications.find((one) => one.id === key)?.name ?? t('usage.gone');
    return t('usage.gone');
  };
  return (
    <div>
      <Group justify="space-between" align="flex-end" mb="md">
        <Title order={2} size="h5">
          {t('usage.compare')}
        </Title>
        <Select
          aria-label={t('usage.by')}
          allowDeselect={false}
          value={by}
          onChange={(value) => setBy(choices.find((one) => one === value) ?? 'model')}
          data={choices.map((value) => ({ value, label: t(`usage.groupings.${value}`) }))}
        />
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={classes.frame} tabIndex={0} aria-label={t('usage.compare')}>
        {figures.isPending && <Skeletons rows={3} />}
        {figures.error && <Problem error={figures.error} onRetry={figures.refetch} />}
        {figures.data && (
          <Table verticalSpacing="sm" style={{ fontVariantNumeric: 'tabular-nums' }}>
            <Table.Thead style={{ whiteSpace: 'nowrap' }}>
              <Table.Tr>
                <Table.Th>{t(`usage.groupings.${by}`)}</Table.Th>
                <Table.Th ta="right">{t('usage.figures.calls')}</Table.Th>
                <Table.Th ta="right">{t('usage.figures.tokens')}</Table.Th>
                <Table.Th ta="right">{t('usage.figures.cost')}</Table.Th>
                <Table.Th ta="right">{t('usage.figures.firstToken')}</Table.Th>
                <Table.Th ta="right">{t('usage.figures.p50')}</Table.Th>
                <Table.Th ta="right">{t('usage.figures.p95')}</Table.Th>
                <Table.Th ta="right">{t('usage.figures.errorRate')}</Table.Th>
                <Table.Th ta="right">{t('usage.figures.availability')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {figures.data.items.map((one) => (
                <Table.Tr key={one.key ?? ''}>
                  <Table.Th scope="row" fw={550}>
                    {nameOf(one.key, one.name)}
                    {one.cached_answers > 0 && (
                      <Text size="xs" c="dimmed" fw={400}>
                        {t('usage.fromCache', { count: one.cached_answers })}
                      </Text>
                    )}
                  </Table.Th>
                  <Table.Td ta="right">{formatNumber(one.calls)}</Table.Td>
                  <Table.Td ta="right">{formatShort(one.input_tokens + one.output_tokens)}</Table.Td>
                  <Table.Td ta="right">{formatCosts(one.costs) || '–'}</Table.Td>
                  <Table.Td ta="right">{one.first_token_ms ? formatMs(one.first_token_ms) : '–'}</Table.Td>
                  <Table.Td ta="right">{one.p50_ms ? formatMs(one.p50_ms) : '–'}</Table.Td>
                  <Table.Td ta="right">{one.p95_ms ? formatMs(one.p95_ms) : '–'}</Table.Td>
                  <Table.Td ta="right">{formatPercent(one.error_rate, 1)}</Table.Td>
                  <Table.Td ta="right">
                    {one.availability == null ? '–' : formatPercent(one.availability, 2)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </section>
    </div>
  );
}
