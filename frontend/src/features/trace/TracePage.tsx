/** What a run did: its parts over time beside the one that is open, and the way to ask again otherwise. */
import { Alert, Anchor, Button, Paper, Tabs, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowLeft, IconRefresh, IconTimeline } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getRunTraceOptions } from '../../api/generated/@tanstack/react-query.gen';
import type { TraceOut } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { EmptyState } from '../../components/EmptyState';
import { Facts } from '../../components/Facts';
import { Page } from '../../components/Page';
import { PageHeader } from '../../components/PageHeader';
import { PageProblem } from '../../components/PageProblem';
import { Skeletons } from '../../components/Skeletons';
import { formatNumber } from '../../i18n/format';
import { Calls } from './Calls';
import { Compare } from './Compare';
import { RunAgain } from './RunAgain';
import { SpanView } from './SpanView';
import { callsBeside, callsOf, lengthOf, rowsOf } from './spans';
import classes from './Trace.module.css';
import { shownCost, shownMs } from './times';
import { Waterfall } from './Waterfall';

const openStates = ['queued', 'running'];
/** Calls of models are recorded in the background, within a second. */
const refreshMs = 1500;

export default function TracePage() {
  const { runId } = useParams({ from: '/house/trace/$runId' });
  const { before } = useSearch({ from: '/house/trace/$runId' });
  const trace = useQuery({
    ...getRunTraceOptions({ path: { run_id: runId } }),
    refetchInterval: ({ state }) => (state.data && openStates.includes(state.data.state) ? refreshMs : false),
  });
  return (
    <Page>
      {trace.isPending && <Skeletons rows={8} height={32} />}
      {trace.error && <PageProblem error={trace.error} room="ask" onRetry={trace.refetch} />}
      {trace.data && <Told key={runId} trace={trace.data} before={before ?? trace.data.retry_of ?? null} />}
    </Page>
  );
}

function Told({ trace, before }: { trace: TraceOut; before: string | null }) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const navigate = useNavigate();
  const [asking, again] = useDisclosure(false);
  const isOpen = openStates.includes(trace.state);
  const facts = [
    t(`trace.states.${trace.state}`),
    trace.total_ms != null && t('ask.milliseconds', { ms: shownMs(trace.total_ms) }),
    (trace.queued_ms ?? 0) > 100 && t('trace.waited', { ms: shownMs(trace.queued_ms ?? 0) }),
    t('trace.tokensOf', {
      given: formatNumber(trace.usage.input_tokens ?? 0),
      written: formatNumber(trace.usage.output_tokens ?? 0),
    }),
    ...trace.costs.map(shownCost),
  ];
  return (
    <>
      <PageHeader
        above={
          <Anchor
            component={Link}
            to="/ask/$conversationId"
            params={{ conversationId: trace.conversation_id } as never}
            size="sm"
          >
            <IconArrowLeft size={14} aria-hidden /> {t('trace.back')}
          </Anchor>
        }
        title={trace.question}
        text={<Facts items={facts} />}
      >
        {mayWrite && (
          <Button
            variant="light"
            leftSection={<IconRefresh size={17} />}
            disabled={isOpen}
            onClick={again.open}
          >
            {t('trace.again')}
          </Button>
        )}
      </PageHeader>
      {trace.standalone_question && (
        <Text size="sm" c="dimmed" mb="sm">
          {t('ask.searchedAs', { question: trace.standalone_question })}
        </Text>
      )}
      {trace.is_hidden && (
        <Alert mb="md" color="yellow">
          {t('trace.hidden')}
        </Alert>
      )}
      {trace.is_estimated && (
        <Alert mb="md" color="gray">
          {t('trace.estimated')}
        </Alert>
      )}
      {before ? (
        <Tabs defaultValue="trace" keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="trace">{t('trace.timeline')}</Tabs.Tab>
            <Tabs.Tab value="compare">{t('trace.compare')}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="trace">
            <Timeline trace={trace} isOpen={isOpen} />
          </Tabs.Panel>
          <Tabs.Panel value="compare">
            <Compare beforeId={before} trace={trace} />
          </Tabs.Panel>
        </Tabs>
      ) : (
        <Timeline trace={trace} isOpen={isOpen} />
      )}
      <RunAgain
        trace={trace}
        opened={asking}
        onClose={again.close}
        onStarted={(run) =>
          navigate({
            to: '/trace/$runId',
            params: { runId: run.id },
            search: { before: trace.run_id },
          })
        }
      />
    </>
  );
}

function Timeline({ trace, isOpen }: { trace: TraceOut; isOpen: boolean }) {
  const { t } = useTranslation();
  const rows = useMemo(() => rowsOf(trace.stages), [trace]);
  const slowest = useMemo(
    () =>
      [...rows].sort((one, other) => (other.span.elapsed_ms ?? 0) - (one.span.elapsed_ms ?? 0))[0]?.key ??
      null,
    [rows],
  );
  const [chosen, setChosen] = useState<string | null>(null);
  const beside = callsBeside(trace);
  const open = rows.find(({ key }) => key === (chosen ?? slowest));
  if (rows.length === 0) {
    return (
      <EmptyState
        icon={<IconTimeline size={28} />}
        title={t(isOpen ? 'trace.notYet' : 'trace.none')}
        text={t(isOpen ? 'trace.notYetText' : 'trace.noneText')}
      />
    );
  }
  return (
    <>
      <div className={classes.layout}>
        <Paper className={`rd-card ${classes.pane}`}>
          <Waterfall rows={rows} length={lengthOf(trace)} chosen={open?.key ?? null} onChoose={setChosen} />
        </Paper>
        <Paper className={`rd-card ${classes.pane}`} component="section" aria-live="polite">
          {open && <SpanView span={open.span} calls={open.depth === 0 ? callsOf(trace, open.stage) : []} />}
        </Paper>
      </div>
      {beside.length > 0 && (
        <Paper className={`rd-card ${classes.pane}`} mt="lg">
          <Text fw={600} mb={6}>
            {t('trace.beside')}
          </Text>
          <Calls calls={beside} />
        </Paper>
      )}
    </>
  );
}
