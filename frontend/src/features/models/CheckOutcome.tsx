/** What a connection test found: it works, or what is wrong, in our words and in the vendor's. */
import { useTranslation } from 'react-i18next';
import { ProblemError } from '../../api';
import type { CheckResult } from '../../api/generated/types.gen';
import { Healthy, Unhealthy } from '../../components/Health';
import { useProblemText } from '../../components/useProblemText';
import { formatAgo, formatNumber } from '../../i18n/format';

export function CheckOutcome({ result }: { result: CheckResult }) {
  const { t } = useTranslation();
  const error = result.error as Record<string, unknown> | null | undefined;
  const problem = useProblemText(
    new ProblemError(0, { ...error, detail: error?.message ?? error?.detail ?? error?.title }),
  );
  if (result.ok) {
    const ms = formatNumber(Math.round(result.latency_ms));
    return <Healthy text={t('models.works', { ms, ago: formatAgo(result.checked_at) })} />;
  }
  const details = error?.details as Record<string, unknown> | undefined;
  const vendor = details?.vendor_message;
  const told = typeof vendor === 'string' && vendor ? t('models.vendorSays', { message: vendor }) : null;
  return <Unhealthy text={problem.text} told={told} code={problem.code} />;
}
