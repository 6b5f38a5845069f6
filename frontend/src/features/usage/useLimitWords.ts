import { useTranslation } from 'react-i18next';
import type { LimitView } from '../../api/generated/types.gen';
import { formatNumber } from '../../i18n/format';
import { useWordFor } from '../../i18n/useWordFor';
import { useSubjects } from './useSubjects';
import { formatMoney } from './words';

const steps = [
  ['days', 86_400],
  ['hours', 3_600],
  ['minutes', 60],
  ['seconds', 1],
] as const;

/** A limit in words: what it allows, and whom. */
export function useLimitWords() {
  const { t } = useTranslation();
  const pathName = useWordFor('usage.paths');
  const { nameOf } = useSubjects();

  const window = (limit: LimitView) => {
    if (limit.window_kind !== 'seconds') return t(`usage.window.${limit.window_kind}`);
    const seconds = limit.window_s ?? 1;
    const [unit, size] = steps.find(([, length]) => seconds % length === 0) ?? ['seconds', 1];
    return t(`usage.window.${unit}`, { count: seconds / size });
  };

  const amount = (limit: LimitView, value: number) => {
    if (limit.measure === 'money') return formatMoney(value, limit.currency ?? 'USD');
    return formatNumber(value);
  };

  return {
    amount,
    allowance: (limit: LimitView) => {
      const what =
        limit.measure === 'money'
          ? amount(limit, limit.amount)
          : t(`usage.amounts.${limit.measure}`, { count: limit.amount, number: formatNumber(limit.amount) });
      return t('usage.per', { what, window: window(limit) });
    },
    target: (limit: LimitView) => {
      const only = [
        limit.user_id && (nameOf('user', limit.user_id) ?? t('usage.gone')),
        limit.api_key_id && (nameOf('api_key', limit.api_key_id) ?? t('usage.gone')),
        limit.application_id && (nameOf('application', limit.application_id) ?? t('usage.gone')),
        limit.path && pathName(limit.path),
        limit.model_id && (nameOf('model', limit.model_id) ?? t('usage.gone')),
      ].filter((one): one is string => Boolean(one));
      const per = limit.per.map((dimension) => t(`usage.each.${dimension}`));
      const parts = [...only, ...per];
      return parts.length > 0 ? parts.join(' · ') : t('usage.everything');
    },
  };
}
