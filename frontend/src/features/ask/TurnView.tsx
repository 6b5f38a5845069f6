/** One question and its answer: status, text, what is wrong with it, and what can be done with it. */
import { ActionIcon, Button, CopyButton, Group, Skeleton, Stack, Text, Tooltip } from '@mantine/core';
import {
  IconCheck,
  IconChevronLeft,
  IconChevronRight,
  IconCopy,
  IconQuote,
  IconRefresh,
  IconTimeline,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ProblemError } from '../../api';
import { getStatusOptions } from '../../api/generated/@tanstack/react-query.gen';
import type { ReplyOut, RunOut, RunReply } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { AgentSteps } from './AgentSteps';
import { Answer } from './Answer';
import { AnswerNotes } from './AnswerNotes';
import { answerAsText } from './answerAsText';
import { RunForm } from './forms/RunForm';
import { isOpen, type Turn } from './liveRun';
import { QuestionPictures } from './QuestionPictures';
import { ReadAloud } from './ReadAloud';
import { StatusLine } from './StatusLine';
import classes from './TurnView.module.css';
import { useLiveRun } from './useLiveRun';

interface Props {
  turn: Turn;
  onRetry: (run: RunOut) => void;
  onLive: (run: RunOut) => void;
  onEvidence: (run: RunOut) => void;
  /** How the form of this turn was answered, once it was. */
  reply: ReplyOut | undefined;
  isLast: boolean;
  replying: boolean;
  onReply: (run: RunOut, reply: RunReply) => void;
}

export function TurnView(props: Props) {
  const { turn, onRetry, onLive, onEvidence, reply, isLast, replying, onReply } = props;
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<number | null>(null);
  const last = turn.runs.length - 1;
  const index = Math.min(chosen ?? last, last);
  const saved = turn.runs[index] as RunOut;
  const { run, connection, error } = useLiveRun(saved);
  const open = isOpen(run);
  const status = useQuery(getStatusOptions());
  useEffect(() => {
    onLive(run);
  }, [run, onLive]);

  return (
    <article className={classes.turn} aria-busy={open}>
      <QuestionPictures ids={run.picture_ids ?? []} />
      <h2 className={classes.question}>{turn.question}</h2>
      <StatusLine run={run} />
      <AgentSteps run={run} />
      {open && connection === 'lost' && (
        <Text size="sm" c="dimmed" role="status">
          {t('ask.reconnecting')}
        </Text>
      )}
      {open && !run.answer && <WaitingLines />}
      {run.form ? (
        <RunForm
          form={run.form}
          open={!open && isLast && index === last && !reply}
          pending={replying}
          reply={reply}
          onReply={(given) => onReply(run, given)}
        />
      ) : (
        run.answer && <Answer run={run} writing={open} />
      )}
      <AnswerNotes run={run} />
      {(error != null || run.error) && (
        <Problem
          error={error ?? new ProblemError(0, { ...run.error, detail: run.error?.message })}
          title={t('ask.failed')}
          onRetry={() => onRetry(run)}
        />
      )}
      {!open && (
        <Group gap={4} mt={8} className={classes.actions}>
          {run.answer && (
            <CopyButton value={answerAsText(run)}>
              {({ copied, copy }) => (
                <Tooltip label={copied ? t('common.copied') : t('ask.copyAnswer')}>
                  <ActionIcon aria-label={t('ask.copyAnswer')} onClick={copy}>
                    {copied ? <IconCheck size={17} /> : <IconCopy size={17} />}
                  </ActionIcon>
                </Tooltip>
              )}
            </CopyButton>
          )}
          {run.answer && status.data?.speaks && <ReadAloud runId={run.id} />}
          <Tooltip label={t('ask.retry')}>
            <ActionIcon aria-label={t('ask.retry')} onClick={() => onRetry(run)}>
              <IconRefresh size={17} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t('trace.action')}>
            <ActionIcon
              component={Link}
              to="/trace/$runId"
              params={{ runId: run.id } as never}
              aria-label={t('trace.action')}
            >
              <IconTimeline size={17} />
            </ActionIcon>
          </Tooltip>
          {turn.runs.length > 1 && (
            <Group gap={2} aria-label={t('ask.versions')} role="group">
              <ActionIcon
                aria-label={t('ask.previousVersion')}
                disabled={index === 0}
                onClick={() => setChosen(index - 1)}
              >
                <IconChevronLeft size={16} />
              </ActionIcon>
              <Text size="xs" c="dimmed">
                {t('ask.versionOf', { n: index + 1, count: turn.runs.length })}
              </Text>
              <ActionIcon
                aria-label={t('ask.nextVersion')}
                disabled={index === last}
                onClick={() => setChosen(index + 1)}
              >
                <IconChevronRight size={16} />
              </ActionIcon>
            </Group>
          )}
          {(run.retrieval?.hits?.length ?? 0) > 0 && (
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              className={classes.evidence}
              leftSection={<IconQuote size={16} aria-hidden />}
              onClick={() => onEvidence(run)}
            >
              {t('ask.showEvidence', { count: run.citations?.length || run.retrieval?.hits?.length || 0 })}
            </Button>
          )}
        </Group>
      )}
    </article>
  );
}

export function WaitingLines() {
  return (
    <Stack gap={10} aria-hidden>
      <Skeleton height={14} width="94%" />
      <Skeleton height={14} width="88%" />
      <Skeleton height={14} width="61%" />
    </Stack>
  );
}
