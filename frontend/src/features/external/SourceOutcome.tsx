/** How a test of a source went: it answers, or what is wrong, in our words and in the source's. */
import { Code } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ProblemError } from '../../api/problem';
import { Healthy, Unhealthy } from '../../components/Health';
import { useProblemText } from '../../components/useProblemText';
import { formatAgo, formatNumber } from '../../i18n/format';

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
    return <Healthy text={ago ? t('external.answeredAgo', { ms, ago }) : t('external.answered', { ms })} />;
  }
  const details = check.details ?? {};
  const told = details.reason ?? details.status;
  const install = check.code === 'source-client-missing' ? details.install : null;
  return (
    <Unhealthy
      text={install ? problem.message : problem.text}
      told={told === undefined ? null : t('external.told', { reason: String(told) })}
      code={problem.code}
      ago={ago}
    >
      {typeof install === 'string' && (
        <Code block mt={4}>
          {install}
        </Code>
      )}
    </Unhealthy>
  );
}
