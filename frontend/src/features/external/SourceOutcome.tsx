/** How a test of a source went: it answers, or what is wrong, in our words and in the source's. */
import { Code, Group, Text } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ProblemError } from '../../api/problem';
import { useProblemText } from '../../components/useProblemText';
import { formatAgo, formatNumber } from '../../i18n/format';
import classes from './External.module.css';

/** A check as the server answers it, or as it keeps the last one of a source. */
export interface Check {
  ok: boolean;
  code: string | null;
  message?: string | null;
  hint?: string | null;
  details?: Record<string, unknown>;
  took_ms?: number;
  at?: string;
}

export function SourceOutcome({ check }: { check: Check }) {
  const { t } = useTranslation();
  const problem = useProblemText(
    new ProblemError(502, {
      code: check.code,
      detail: check.message,
      hint: check.hint,
      details: check.details,
    }),
  );
  const ago = check.at ? formatAgo(check.at) : null;
  if (check.ok) {
    const ms = formatNumber(Math.round(check.took_ms ?? 0));
    return (
      <Group gap={6} wrap="nowrap" align="flex-start" className={classes.good} role="status">
        <IconCircleCheck size={16} aria-hidden />
        <Text size="sm">{ago ? t('external.answeredAgo', { ms, ago }) : t('external.answered', { ms })}</Text>
      </Group>
    );
  }
  const details = check.details ?? {};
  const told = details.reason ?? details.status;
  const install = check.code === 'source-client-missing' ? details.install : null;
  return (
    <div className={classes.bad} role="alert">
      <Group gap={6} wrap="nowrap" align="flex-start">
        <IconAlertCircle size={16} aria-hidden />
        <Text size="sm">
          {problem.message} {install ? null : problem.hint}
        </Text>
      </Group>
      {told !== undefined && (
        <Text size="xs" mt={4} className={classes.told}>
          {t('external.told', { reason: String(told) })}
        </Text>
      )}
      {typeof install === 'string' && (
        <Code block mt={4}>
          {install}
        </Code>
      )}
      <Text size="xs" mt={4} c="dimmed" component="div">
        <Code fz={11}>{problem.code}</Code> {ago}
      </Text>
    </div>
  );
}
