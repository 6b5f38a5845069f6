/** The dashboard: totals, the course of time, and the same figures for each model, application, person. */
import { Button, Group, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconChartBar, IconDownload } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { withWorkspace } from '../../api/credentials';
import { getUsageFiguresOptions } from '../../api/generated/@tanstack/react-query.gen';
import type { Figures } from '../../api/generated/types.gen';
import { EmptyState } from '../../components/EmptyState';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { formatPercent } from '../../i18n/format';
import { Bars } from './Bars';
import { Calls } from './Calls';
import { FiguresTable } from './FiguresTable';
import { boundsOf, type Range, ranges, stepOf } from './ranges';
import { UsageSettings } from './UsageSettings';
import { formatCosts, formatMs, formatShort, formatStep } from './words';

const measures = ['calls', 'tokens', 'cost'] as const;
type Measure = (typeof measures)[number];

const amountOf = (measure: Measure, figures: Figures) => {
  if (measure === 'calls') return figures.calls;
  if (measure === 'tokens') return figures.input_tokens + figures.output_tokens;
  return figures.costs[0]?.amount ?? 0;
};

export function Overview() {
  const { t } = useTranslation();
  const [range, setRange] = useState<Range>('7');
  const [measure, setMeasure] = useState<Measure>('calls');
  // Bounds move on with the minute only when another range is chosen: figures do not reload by themselves.
  const [bounds, setBounds] = useState(() => boundsOf('7'));
  const step = stepOf(range);
  const course = useQuery({
    ...getUsageFiguresOptions({ query: { ...bounds, by: step } }),
    placeholderData: keepPreviousData,
  });
  const data = course.data;
  const shownOf = (figures: Figures) => {
    if (measure === 'cost') return formatCosts(figures.costs) || '0';
    return formatShort(amountOf(measure, figures));
  };
  const most = data?.items.reduce<Figures | null>(
    (found, one) => (!found || amountOf(measure, one) > amountOf(measure, found) ? one : found),
    null,
  );
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <SegmentedControl
          aria-label={t('usage.range')}
          value={range}
          onChange={(value) => {
            const next = ranges.find((one) => one === value) ?? '7';
            setRange(next);
            setBounds(boundsOf(next));
          }}
          data={ranges.map((value) => ({ value, label: t(`usage.ranges.${value}`) }))}
        />
        <Button
          component="a"
          variant="default"
          leftSection={<IconDownload size={17} />}
          href={withWorkspace(`/api/v1/usage/export?${new URLSearchParams(bounds)}`)}
          download
        >
          {t('usage.export')}
        </Button>
      </Group>
      {course.isPending && <Skeletons rows={3} height={90} />}
      {course.error && <Problem error={course.error} onRetry={course.refetch} />}
      {data && data.total.calls === 0 && (
        <EmptyState icon={<IconChartBar size={30} />} title={t('usage.none')} text={t('usage.noneText')} />
      )}
      {data && data.total.calls > 0 && (
        <>
          <Totals total={data.total} />
          <section className="rd-card" style={{ padding: 'var(--mantine-spacing-md)' }}>
            <Group justify="flex-end" mb="xs">
              <SegmentedControl
                size="xs"
                aria-label={t('usage.measure')}
                value={measure}
                onChange={(value) => setMeasure(measures.find((one) => one === value) ?? 'calls')}
                data={measures.map((value) => ({ value, label: t(`usage.measures.${value}`) }))}
              />
            </Group>
            <Bars
              title={t(`usage.course.${step}`)}
              valueName={t(`usage.measures.${measure}`)}
              top={most ? shownOf(most) : ''}
              bars={data.items.map((one) => ({
                key: one.key ?? '',
                label: one.key ? formatStep(one.key, step, data.time_zone) : '',
                value: amountOf(measure, one),
                marked: measure === 'calls' ? one.errors : 0,
                shown: shownOf(one),
              }))}
            />
            <Text size="xs" c="dimmed" mt="xs">
              {t('usage.zone', { zone: data.time_zone })}
            </Text>
          </section>
          <FiguresTable bounds={bounds} isOwn={data.is_own} />
          <Calls bounds={bounds} />
        </>
      )}
      {data && !data.is_own && <UsageSettings />}
    </Stack>
  );
}

function Totals({ total }: { total: Figures }) {
  const { t } = useTranslation();
  const tiles = [
    { name: 'calls', value: formatShort(total.calls) },
    { name: 'tokens', value: formatShort(total.input_tokens + total.output_tokens) },
    { name: 'cost', value: formatCosts(total.costs) || t('usage.noPrice') },
    { name: 'p95', value: total.p95_ms ? formatMs(total.p95_ms) : '–' },
    { name: 'errorRate', value: formatPercent(total.error_rate, 1) },
    { name: 'availability', value: total.availability == null ? '–' : formatPercent(total.availability, 2) },
  ] as const;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} component="dl" m={0}>
      {tiles.map((tile) => (
        <div key={tile.name} className="rd-card" style={{ padding: 'var(--mantine-spacing-md)' }}>
          <Text component="dt" size="sm" c="dimmed">
            {t(`usage.figures.${tile.name}`)}
          </Text>
          <Text component="dd" m={0} fz="xl" fw={600} style={{ fontVariantNumeric: 'tabular-nums' }}>
            {tile.value}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}
