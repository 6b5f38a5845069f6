/** Two answers to one question side by side: what was set otherwise, what they say, rest on, and took. */
import { Badge, Paper, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { getRunOptions, getRunTraceOptions } from '../../api/generated/@tanstack/react-query.gen';
import type { RunOut, TraceOut } from '../../api/generated/types.gen';
import { isUnknownAddress } from '../../api/problem';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { Answer } from '../ask/Answer';
import { FocusProvider } from '../ask/focus';
import { isOpen } from '../ask/liveRun';
import { useLiveRun } from '../ask/useLiveRun';
import { Part } from './SpanView';
import { differences, sourcesOf } from './spans';
import classes from './Trace.module.css';
import { shownMs } from './times';
import { useSpanName } from './useSpanName';

export function Compare({ beforeId, trace }: { beforeId: string; trace: TraceOut }) {
  const { t } = useTranslation();
  const before = useQuery(getRunOptions({ path: { run_id: beforeId } }));
  const after = useQuery(getRunOptions({ path: { run_id: trace.run_id } }));
  const earlier = useQuery(getRunTraceOptions({ path: { run_id: beforeId } }));
  const error = before.error ?? after.error ?? earlier.error;
  if (isUnknownAddress(error)) return <Text c="dimmed">{t('trace.noBefore')}</Text>;
  if (error) return <Problem error={error} />;
  if (!before.data || !after.data || !earlier.data) return <Skeletons rows={6} height={24} />;
  return <Sides before={before.data} after={after.data} earlier={earlier.data} later={trace} />;
}

interface Props {
  before: RunOut;
  after: RunOut;
  earlier: TraceOut;
  later: TraceOut;
}

function Sides({ before, after, earlier, later }: Props) {
  const { t } = useTranslation();
  const { run } = useLiveRun(after);
  const changed = differences(earlier.settings, later.settings);
  return (
    <Stack gap="lg">
      {changed.length > 0 && (
        <Part order={2} title={t('trace.changed')}>
          <Table fz="sm" layout="fixed">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('trace.setting')}</Table.Th>
                <Table.Th>{t('trace.before')}</Table.Th>
                <Table.Th>{t('trace.after')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {changed.map((one) => (
                <Table.Tr key={one.name}>
                  <Table.Th scope="row" fw={500}>
                    {one.name}
                  </Table.Th>
                  <Table.Td>{one.before}</Table.Td>
                  <Table.Td>{one.after}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Part>
      )}
      <FocusProvider>
        <div className={classes.sides}>
          {(
            [
              [t('trace.before'), before],
              [t('trace.after'), run],
            ] as const
          ).map(([title, one]) => (
            <Paper key={one.id} className={`rd-card ${classes.pane}`}>
              <Part order={2} title={title}>
                {one.answer ? (
                  <Answer run={one} writing={isOpen(one)} />
                ) : (
                  <Text c="dimmed">{t(isOpen(one) ? 'trace.notYet' : 'trace.noAnswer')}</Text>
                )}
              </Part>
            </Paper>
          ))}
        </div>
      </FocusProvider>
      <Sources before={before} after={run} />
      <Timings earlier={earlier} later={later} />
    </Stack>
  );
}

function Sources({ before, after }: { before: RunOut; after: RunOut }) {
  const { t } = useTranslation();
  const sources = sourcesOf(before, after);
  if (sources.length === 0) return null;
  return (
    <Part order={2} title={t('trace.sources')}>
      <Table fz="sm">
        <Table.Tbody>
          {sources.map((one) => (
            <Table.Tr key={one.key}>
              <Table.Td>
                {one.document}{' '}
                <Text component="span" size="xs" c="dimmed">
                  {one.section}
                </Text>
              </Table.Td>
              <Table.Td ta="right">
                <Badge size="sm" variant={one.side === 'both' ? 'default' : 'light'}>
                  {t(`trace.sides.${one.side}`)}
                </Badge>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Part>
  );
}

function Timings({ earlier, later }: { earlier: TraceOut; later: TraceOut }) {
  const { t } = useTranslation();
  const nameOf = useSpanName();
  const names = [...new Map([...earlier.stages, ...later.stages].map((one) => [one.name, one])).values()];
  const took = (trace: TraceOut, name: string) => {
    const found = trace.stages.filter((one) => one.name === name && one.state !== 'skipped');
    if (found.length === 0) return '—';
    return t('ask.milliseconds', { ms: shownMs(found.reduce((sum, one) => sum + (one.elapsed_ms ?? 0), 0)) });
  };
  return (
    <Part order={2} title={t('trace.timings')}>
      <Table fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('trace.stage')}</Table.Th>
            <Table.Th ta="right">{t('trace.before')}</Table.Th>
            <Table.Th ta="right">{t('trace.after')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {names.map((one) => (
            <Table.Tr key={one.name}>
              <Table.Th scope="row" fw={500}>
                {nameOf(one)}
              </Table.Th>
              <Table.Td ta="right">{took(earlier, one.name)}</Table.Td>
              <Table.Td ta="right">{took(later, one.name)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Part>
  );
}
