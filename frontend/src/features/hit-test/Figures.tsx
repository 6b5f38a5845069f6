import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { TotalsView } from '../../api/generated/types.gen';
import { formatNumber, formatPercent, formatScore } from '../../i18n/format';
import classes from './HitTest.module.css';

const shares = ['hit_at_5', 'found_when_there', 'refused_when_not'] as const;
const means = ['mrr_at_10', 'ndcg_at_10'] as const;

interface Props {
  first: TotalsView;
  second?: TotalsView;
}

/** The totals of a run; of two runs the second's beside the first's, with what changed. */
export function Figures({ first, second }: Props) {
  const { t } = useTranslation();
  const shown = [
    ...shares.map((name) => ({ name, write: (value: number) => formatPercent(value, 1) })),
    ...means.map((name) => ({ name, write: formatScore })),
  ];
  return (
    <div>
      <dl className={classes.figures} style={{ margin: 0 }}>
        {shown.map(({ name, write }) => (
          <div key={name} className={classes.figure}>
            <Text component="dt" size="xs" c="dimmed">
              {t(`hitTest.figures.${name}`)}
            </Text>
            <dd style={{ margin: 0 }} className={classes.figureValue}>
              {first[name] === null ? t('knowledge.noScore') : write(first[name])}
              {second && <Difference before={first[name]} after={second[name]} write={write} />}
            </dd>
          </div>
        ))}
      </dl>
      <Text size="sm" c="dimmed" mt="sm">
        {t('hitTest.counted', {
          questions: formatNumber(first.questions),
          answerable: formatNumber(first.answerable),
          unanswerable: formatNumber(first.unanswerable),
          unjudged: formatNumber(first.unjudged),
          failed: formatNumber(first.failed),
          p50: formatNumber(Math.round(first.p50_ms)),
          p95: formatNumber(Math.round(first.p95_ms)),
        })}
      </Text>
      {first.incomplete > 0 && (
        <Text size="sm" c="dimmed">
          {t('hitTest.incomplete', { count: first.incomplete })}
        </Text>
      )}
    </div>
  );
}

interface DifferenceProps {
  before: number | null;
  after: number | null;
  write: (value: number) => string;
}

function Difference({ before, after, write }: DifferenceProps) {
  const { t } = useTranslation();
  if (after === null) return null;
  const change = before === null ? 0 : after - before;
  const sign = change > 0.0005 ? '+' : change < -0.0005 ? '−' : '±';
  const face = change > 0.0005 ? classes.better : change < -0.0005 ? classes.worse : undefined;
  return (
    <Text component="span" size="sm" ml={6} className={face} title={t('hitTest.sides.b')}>
      {'→ '}
      {write(after)} ({sign}
      {write(Math.abs(change))})
    </Text>
  );
}
