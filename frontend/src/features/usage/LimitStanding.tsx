/** How much of a limit is used now: of the one who used most, where each is counted apart. */
import { Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { getModelLimitStandingOptions } from '../../api/generated/@tanstack/react-query.gen';
import type { LimitView } from '../../api/generated/types.gen';
import { useLimitWords } from './useLimitWords';
import { useSubjects } from './useSubjects';

const REFRESH_MS = 10_000;

export function LimitStanding({ limit }: { limit: LimitView }) {
  const { t } = useTranslation();
  const words = useLimitWords();
  const { nameOf } = useSubjects();
  const standing = useQuery({
    ...getModelLimitStandingOptions({ path: { limit_id: limit.id } }),
    refetchInterval: REFRESH_MS,
  });
  if (!standing.data) return <Text size="sm">…</Text>;
  const [most] = standing.data.standings;
  if (!most) return <Text size="sm">{t('usage.unused')}</Text>;
  const share = limit.amount > 0 ? Math.min(100, (100 * most.used) / limit.amount) : 100;
  const who = [
    most.user_id && nameOf('user', most.user_id),
    most.api_key_id && nameOf('api_key', most.api_key_id),
    most.application_id && nameOf('application', most.application_id),
    most.model_id && nameOf('model', most.model_id),
  ].filter(Boolean);
  const used = t('usage.usedOf', {
    used: words.amount(limit, most.used),
    amount: words.amount(limit, limit.amount),
  });
  return (
    <div style={{ minWidth: 140 }}>
      <Progress
        value={share}
        color={share >= 100 ? 'red' : share >= 80 ? 'yellow' : undefined}
        aria-label={used}
      />
      <Text size="xs" c="dimmed" mt={4}>
        {who.length > 0 ? `${who.join(' · ')}: ${used}` : used}
      </Text>
    </div>
  );
}
