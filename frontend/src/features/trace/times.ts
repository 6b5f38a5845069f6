/** Times and costs of a trace in words. */
import type { TraceCost } from '../../api/generated/types.gen';
import { currentLanguage } from '../../i18n';
import { formatNumber } from '../../i18n/format';

export const shownMs = (ms: number) => formatNumber(ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms));

export function shownCost({ amount, currency }: TraceCost): string {
  return new Intl.NumberFormat(currentLanguage() === 'zh' ? 'zh-CN' : 'en-GB', {
    style: 'currency',
    currency,
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  }).format(amount);
}
