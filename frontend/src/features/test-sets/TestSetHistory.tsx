import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listTestRunsOptions } from '../../api/generated/@tanstack/react-query.gen';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { formatDateTime, formatPercent, formatScore } from '../../i18n/format';
import classes from '../hit-test/HitTest.module.css';
import { modes } from '../hit-test/settings';

/** The figures of earlier runs, the newest first. */
export function TestSetHistory({ setId }: { setId: string }) {
  const { t } = useTranslation();
  const runs = useQuery(listTestRunsOptions({ path: { test_set_id: setId } }));
  const share = (value: number | null) => (value === null ? t('knowledge.noScore') : formatPercent(value, 1));
  const mean = (value: number | null) => (value === null ? t('knowledge.noScore') : formatScore(value));
  if (runs.isPending) return <Skeletons rows={3} />;
  if (runs.error) return <Problem error={runs.error} onRetry={runs.refetch} />;
  if (runs.data.items.length === 0) return <Text c="dimmed">{t('testSets.noRuns')}</Text>;
  const modeOf = (settings: Record<string, unknown>) => {
    const mode = modes.find((one) => one === settings.mode);
    return mode ? t(`knowledge.modes.${mode}`) : String(settings.mode);
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={classes.scroll} tabIndex={0} aria-label={t('testSets.history')}>
      <Table verticalSpacing={8}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('testSets.when')}</Table.Th>
            <Table.Th>{t('knowledge.mode')}</Table.Th>
            <Table.Th ta="right">{t('knowledge.threshold')}</Table.Th>
            <Table.Th ta="right">{t('knowledge.topN')}</Table.Th>
            <Table.Th ta="right">{t('hitTest.figures.hit_at_5')}</Table.Th>
            <Table.Th ta="right">{t('hitTest.figures.found_when_there')}</Table.Th>
            <Table.Th ta="right">{t('hitTest.figures.refused_when_not')}</Table.Th>
            <Table.Th ta="right">{t('hitTest.figures.mrr_at_10')}</Table.Th>
            <Table.Th ta="right">{t('hitTest.figures.ndcg_at_10')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {runs.data.items.map(({ id, created_at, settings, totals }) => (
            <Table.Tr key={id}>
              <Table.Td>{formatDateTime(created_at)}</Table.Td>
              <Table.Td>{modeOf(settings)}</Table.Td>
              <Table.Td ta="right">{formatScore(Number(settings.similarity))}</Table.Td>
              <Table.Td ta="right">{String(settings.top_n)}</Table.Td>
              <Table.Td ta="right">{share(totals.hit_at_5)}</Table.Td>
              <Table.Td ta="right">{share(totals.found_when_there)}</Table.Td>
              <Table.Td ta="right">{share(totals.refused_when_not)}</Table.Td>
              <Table.Td ta="right">{mean(totals.mrr_at_10)}</Table.Td>
              <Table.Td ta="right">{mean(totals.ndcg_at_10)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
