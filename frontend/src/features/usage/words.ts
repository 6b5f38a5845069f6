/** Figures in words and numbers of the reader's language. */
import { currentLanguage } from '../../i18n';

const tag = () => (currentLanguage() === 'zh' ? 'zh-CN' : 'en-GB');

/** 1.2K, 3.4M (1.2万 in Chinese): sums that are read at a glance. */
export const formatShort = (value: number) =>
  new Intl.NumberFormat(tag(), { notation: 'compact', maximumFractionDigits: 1 }).format(value);

export const formatMoney = (amount: number, currency: string) =>
  new Intl.NumberFormat(tag(), {
    style: 'currency',
    currency,
    maximumFractionDigits: Math.abs(amount) < 1 ? 4 : 2,
  }).format(amount);

/** Several currencies are not added up. */
export const formatCosts = (costs: readonly { currency: string; amount: number }[]) =>
  costs.map((cost) => formatMoney(cost.amount, cost.currency)).join(' + ');

export const formatMs = (ms: number) =>
  ms < 1000
    ? new Intl.NumberFormat(tag(), { style: 'unit', unit: 'millisecond', unitDisplay: 'short' }).format(ms)
    : new Intl.NumberFormat(tag(), {
        style: 'unit',
        unit: 'second',
        unitDisplay: 'narrow',
        maximumFractionDigits: 1,
      }).format(ms / 1000);

export const formatStep = (iso: string, step: 'hour' | 'day', timeZone: string) =>
  new Intl.DateTimeFormat(
    tag(),
    step === 'hour'
      ? { hour: '2-digit', minute: '2-digit', timeZone }
      : { day: 'numeric', month: 'short', timeZone },
  ).format(new Date(iso));
