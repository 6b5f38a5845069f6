/** The figures and the questions of a run, or of two runs of the same questions side by side. */
import { Button, Group, Progress, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconDownload, IconPlayerStop } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Problem } from '../../components/Problem';
import { formatNumber } from '../../i18n/format';
import { download, resultsAsCsv } from './batchCsv';
import { Figures } from './Figures';
import { ResultTable } from './ResultTable';
import { isWrong, kinds, type RowKind } from './results';
import type { Run } from './useRun';

interface Props {
  runs: Run[];
  /** How many questions each run has. */
  count: number;
  name: string;
  onStop: () => void;
  onRetry: () => void;
}

export function RunView({ runs, count, name, onStop, onRetry }: Props) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<RowKind>('all');
  const [first, second] = runs;
  if (!first || first.state === 'idle') return null;
  const done = runs.reduce((sum, run) => sum + run.results.length, 0);
  const isRunning = runs.some((run) => run.state === 'running');
  const failed = runs.find((run) => run.state === 'failed');
  const stopped = runs.some((run) => run.state === 'stopped');
  const offered = kinds.filter((one) => one !== 'different' || second);
  return (
    <Stack>
      {isRunning && (
        <Group wrap="nowrap">
          <Progress
            flex={1}
            value={(100 * done) / Math.max(1, count * runs.length)}
            aria-label={t('hitTest.progress')}
          />
          <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
            {t('hitTest.progressCount', {
              done: formatNumber(done),
              total: formatNumber(count * runs.length),
            })}
          </Text>
          <Button size="xs" variant="default" leftSection={<IconPlayerStop size={14} />} onClick={onStop}>
            {t('hitTest.stop')}
          </Button>
        </Group>
      )}
      {stopped && <Text c="dimmed">{t('hitTest.stopped', { done: formatNumber(done) })}</Text>}
      {failed && <Problem error={failed.error} onRetry={onRetry} />}
      {first.totals && <Figures first={first.totals} second={second?.totals ?? undefined} />}
      {first.results.length > 0 && (
        <>
          <Group justify="space-between">
            <SegmentedControl
              size="xs"
              aria-label={t('hitTest.show')}
              value={kind}
              onChange={(value) => setKind(offered.find((one) => one === value) ?? 'all')}
              data={offered.map((value) => ({ value, label: t(`hitTest.kinds.${value}`) }))}
            />
            {!isRunning && (
              <Button
                size="xs"
                variant="default"
                leftSection={<IconDownload size={14} />}
                onClick={() =>
                  download(resultsAsCsv(first.results, second?.results), `${name || 'hit-test'}.csv`)
                }
              >
                {t('hitTest.exportCsv')}
              </Button>
            )}
          </Group>
          <ResultTable
            first={first.results}
            second={second?.results}
            keep={(one, other) => {
              if (kind === 'wrong') return isWrong(one) || (other !== undefined && isWrong(other));
              if (kind === 'different') return other !== undefined && other.outcome !== one.outcome;
              return true;
            }}
          />
        </>
      )}
    </Stack>
  );
}
