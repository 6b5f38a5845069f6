/** What a connection test found: it works, or what is wrong, in our words and in the vendor's. */
import { Code, Group, Text } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ProblemError } from '../../api';
import type { CheckResult } from '../../api/generated/types.gen';
import { useProblemText } from '../../components/useProblemText';
import { formatAgo, formatNumber } from '../../i18n/format';
import classes from './CheckOutcome.module.css';

export function CheckOutcome({ result }: { result: CheckResult }) {
  const { t } = useTranslation();
  const error = result.error as Record<string, unknown> | null | undefined;
  const problem = useProblemText(
    new ProblemError(0, { ...error, detail: error?.message ?? error?.detail ?? error?.title }),
  );
  if (result.ok) {
    return (
      <Group gap={6} wrap="nowrap" align="flex-start" className={classes.good} role="status">
        <IconCircleCheck size={16} aria-hidden />
        <Text size="sm">
          {t('models.works', {
            ms: formatNumber(Math.round(result.latency_ms)),
            ago: formatAgo(result.checked_at),
          })}
        </Text>
      </Group>
    );
  }
  const details = error?.details as Record<string, unknown> | undefined;
  const vendor = details?.vendor_message;
  return (
    <div className={classes.bad} role="alert">
      <Group gap={6} wrap="nowrap" align="flex-start">
        <IconAlertCircle size={16} aria-hidden />
        <Text size="sm">
          {problem.message} {problem.hint}
        </Text>
      </Group>
      {typeof vendor === 'string' && vendor && (
        <Text size="xs" mt={4} className={classes.vendor}>
          {t('models.vendorSays', { message: vendor })}
        </Text>
      )}
      <Code fz={11}>{problem.code}</Code>
    </div>
  );
}
