/** One line on what a run does or did; opens to its stages with their times. */
import { Collapse, Loader, Table, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure, useId } from '@mantine/hooks';
import { IconChevronRight } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { RunOut, StageOut } from '../../api/generated/types.gen';
import { Facts } from '../../components/Facts';
import { formatNumber, formatScore } from '../../i18n/format';
import { useWordFor } from '../../i18n/useWordFor';
import { type GrowingRun, isOpen } from './liveRun';
import classes from './StatusLine.module.css';

const seconds = (ms: number) => (ms >= 10_000 ? formatNumber(Math.round(ms / 1000)) : formatScore(ms / 1000));

function summary(run: GrowingRun, t: TFunction): string[] {
  const parts: string[] = [];
  if (isOpen(run) && run.queue) return [t('ask.statusPlace', { place: formatNumber(run.queue) })];
  const bases = run.knowledge_base_ids?.length ?? 0;
  const retrieval = run.retrieval;
  const searched = (retrieval?.candidates ?? 0) > 0 || (retrieval?.threshold ?? 0) > 0;
  if (run.state === 'queued') parts.push(t('ask.statusQueued'));
  else if (isOpen(run) && !searched) parts.push(t('ask.statusSearching', { count: bases }));
  else if (!searched && run.stages?.some((stage) => stage.name === 'decide'))
    parts.push(t('ask.statusNotSearched'));
  else parts.push(t('ask.statusSearched', { count: bases }));
  if (searched && retrieval) {
    parts.push(t('ask.statusFound', { count: retrieval.candidates ?? 0 }));
    parts.push(t('ask.statusKept', { count: retrieval.found ? (retrieval.hits?.length ?? 0) : 0 }));
  }
  for (const tool of isOpen(run) ? (run.tools ?? []) : []) {
    if (tool.state === 'running') parts.push(t('ask.statusTool', { tool: tool.title }));
  }
  if (isOpen(run) && run.answer) parts.push(t('ask.statusWriting'));
  if (!isOpen(run) && run.started_at && run.finished_at) {
    const ms = new Date(run.finished_at).getTime() - new Date(run.started_at).getTime();
    parts.push(t('ask.statusSeconds', { seconds: seconds(ms) }));
  }
  return parts;
}

export function StatusLine({ run }: { run: GrowingRun }) {
  const { t } = useTranslation();
  const [opened, { toggle }] = useDisclosure(false);
  const panel = useId();
  return (
    <div className={classes.status}>
      <UnstyledButton className={classes.line} onClick={toggle} aria-expanded={opened} aria-controls={panel}>
        {isOpen(run) ? <Loader size={14} aria-hidden /> : null}
        <span aria-live="polite">
          <Facts items={summary(run, t)} />
        </span>
        <IconChevronRight size={14} className={classes.chevron} data-open={opened || undefined} aria-hidden />
      </UnstyledButton>
      <Collapse expanded={opened} id={panel}>
        <Stages run={run} />
      </Collapse>
    </div>
  );
}

function Stages({ run }: { run: RunOut }) {
  const { t } = useTranslation();
  const wordFor = useWordFor('stages');
  const nameOf = (stage: StageOut) => wordFor(stage.name) ?? stage.name;
  return (
    <div className={classes.stages}>
      {run.standalone_question && run.standalone_question !== run.question && (
        <Text size="xs" c="dimmed" mb={6}>
          {t('ask.searchedAs', { question: run.standalone_question })}
        </Text>
      )}
      <Table fz="xs" verticalSpacing={4} horizontalSpacing={6}>
        <Table.Tbody>
          {(run.stages ?? []).map((stage, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a stage may run twice and has no id of its own
            <Table.Tr key={index}>
              <Table.Th scope="row" fw={500}>
                {nameOf(stage)}
              </Table.Th>
              <Table.Td c="dimmed">{t(`ask.stageState.${stage.state}`)}</Table.Td>
              <Table.Td className={classes.detail}>{detailText(stage)}</Table.Td>
              <Table.Td ta="right" c="dimmed">
                {stage.elapsed_ms != null
                  ? t('ask.milliseconds', { ms: formatNumber(Math.round(stage.elapsed_ms)) })
                  : ''}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** The plain values of a stage's detail, as the server names them: this is the view for the curious. */
function detailText(stage: StageOut): string {
  return Object.entries(stage.detail ?? {})
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => {
      const shown = typeof value === 'number' ? String(Math.round(value * 1000) / 1000) : String(value);
      return `${name} ${shown.length > 80 ? `${shown.slice(0, 80)}…` : shown}`;
    })
    .join(' · ');
}
