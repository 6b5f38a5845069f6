/** What the reader must know about how an answer came about: below it, in one place. */
import { Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { RunOut, WarningOut } from '../../api/generated/types.gen';
import { useDecisionText } from '../../components/useDecisionText';
import { useSearchWarningText } from '../../components/useSearchWarningText';
import { formatScore } from '../../i18n/format';
import { useWordFor } from '../../i18n/useWordFor';
import { isOpen } from './liveRun';
import { warningsToShow } from './runWarnings';
import classes from './TurnView.module.css';

export function AnswerNotes({ run }: { run: RunOut }) {
  const { t } = useTranslation();
  const wordFor = useWordFor('notices');
  const decisionText = useDecisionText();
  const searchWarningText = useSearchWarningText();
  if (isOpen(run)) return null;
  const notes: string[] = [];
  if (run.state === 'cancelled') notes.push(t('ask.wasStopped'));
  if (run.state === 'interrupted') notes.push(t('ask.wasInterrupted'));
  const retrieval = run.retrieval;
  const best = formatScore(retrieval?.best ?? 0);
  if (retrieval && retrieval.found === false && (retrieval.threshold ?? 0) > 0) {
    // The built-in reply names the reason itself; an application's own does not.
    const reason = run.warnings?.find(({ code }) => code === 'nothing-found')?.message ?? best;
    if (!run.answer.includes(reason))
      notes.push(
        retrieval.decision
          ? decisionText(retrieval.decision)
          : t('ask.notFoundWhy', { best, threshold: formatScore(retrieval.threshold ?? 0) }),
      );
  } else if (run.state === 'finished' && !run.model_id && run.answer) {
    notes.push(t('ask.quoted'));
  }
  const unsupported = (run.sentences ?? []).filter((sentence) => !sentence.supported).length;
  if (unsupported > 0) notes.push(t('ask.unsupportedCount', { count: unsupported }));
  const unready = retrieval?.unready ?? 0;
  const textOf = ({ code, message }: WarningOut) =>
    code === 'still-indexing' && unready > 0
      ? t('hitTest.unready', { count: unready })
      : (wordFor(code) ?? searchWarningText({ code, message }));
  const warnings = warningsToShow(run.warnings ?? [], textOf);
  if (notes.length === 0 && warnings.length === 0) return null;
  return (
    <Stack gap={2} mt={4}>
      {warnings.map((warning) => (
        <Group key={warning} gap={6} wrap="nowrap" align="flex-start" className={classes.warning}>
          <IconAlertTriangle size={15} aria-hidden />
          <Text size="sm">{warning}</Text>
        </Group>
      ))}
      {notes.map((note) => (
        <Text key={note} size="sm" c="dimmed">
          {note}
        </Text>
      ))}
    </Stack>
  );
}
