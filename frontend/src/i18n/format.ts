/** Numbers, sizes and times as the reader's language writes them. */
import { currentLanguage } from '.';

const tag = () => (currentLanguage() === 'zh' ? 'zh-CN' : 'en-GB');

export const formatNumber = (value: number) => new Intl.NumberFormat(tag()).format(value);

export const formatPercent = (share: number, digits = 0) =>
  new Intl.NumberFormat(tag(), { style: 'percent', maximumFractionDigits: digits }).format(share);

export const formatScore = (value: number) =>
  new Intl.NumberFormat(tag(), { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value);

export function formatBytes(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
  let step = 0;
  let value = bytes;
  while (value >= 1000 && step < units.length - 1) {
    value /= 1000;
    step += 1;
  }
  return new Intl.NumberFormat(tag(), {
    style: 'unit',
    unit: units[step],
    // The short form of a byte is "byte" for any number of them.
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step > 1 ? 1 : 0,
  }).format(value);
}

export const formatDateTime = (iso: string) =>
  new Intl.DateTimeFormat(tag(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));

export const formatDate = (iso: string) =>
  new Intl.DateTimeFormat(tag(), { dateStyle: 'medium' }).format(new Date(iso));

/** "3 minutes ago" up to a month, a date after that. */
export function formatAgo(iso: string, now = Date.now()): string {
  const seconds = Math.round((new Date(iso).getTime() - now) / 1000);
  const steps: [Intl.RelativeTimeFormatUnit, number][] = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
    ['second', 1],
  ];
  if (Math.abs(seconds) > 30 * 86_400) return formatDate(iso);
  const [unit, size] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(tag(), { numeric: 'auto' }).format(Math.trunc(seconds / size), unit);
}
