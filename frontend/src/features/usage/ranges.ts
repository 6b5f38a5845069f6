/** The time ranges of the dashboard. They end at the next full minute, so that looking again asks the same. */
export const ranges = ['1', '7', '30', '90'] as const;
export type Range = (typeof ranges)[number];

const MINUTE = 60_000;
const DAY = 86_400_000;

export function boundsOf(range: Range, now = Date.now()): { since: string; until: string } {
  const until = Math.ceil(now / MINUTE) * MINUTE;
  return {
    since: new Date(until - Number(range) * DAY).toISOString(),
    until: new Date(until).toISOString(),
  };
}

/** A day is shown by its hours. */
export const stepOf = (range: Range) => (range === '1' ? 'hour' : 'day');
