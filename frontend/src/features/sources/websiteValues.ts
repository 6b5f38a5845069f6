/** The form of a web site and what is sent of it. */
import type { SourceView, WebsiteConfig } from '../../api/generated/types.gen';

/** Hours between two runs, as the form's choices; `manual` is only when asked. */
export const intervals = ['manual', '1', '6', '24', '168', '720'] as const;
export type Interval = (typeof intervals)[number];

const defaults = {
  scope: 'path' as 'path' | 'host',
  depth: 5,
  max_pages: 500,
  include: [] as string[],
  exclude: [] as string[],
  selector: '',
  use_sitemap: true,
  include_files: true,
  follow_canonical: true,
  concurrency: 2,
  delay_ms: 0,
};

export function valuesOf(source: SourceView | undefined) {
  const config = (source?.config ?? {}) as Partial<WebsiteConfig>;
  const hours = source?.interval_hours;
  return {
    ...defaults,
    ...Object.fromEntries(Object.entries(config).filter(([key, value]) => key in defaults && value !== null)),
    url: config.url ?? '',
    name: source?.name ?? '',
    interval: (hours ? (nearest(hours) satisfies Interval) : 'manual') as Interval,
  };
}

/** The choice for a number of hours that somebody may have set by the interface. */
function nearest(hours: number): Interval {
  const known = intervals.find((one) => Number(one) >= hours);
  return known ?? '720';
}

export type WebsiteValues = ReturnType<typeof valuesOf>;

export function bodyOf({ url, name, interval, selector, ...rest }: WebsiteValues) {
  const config: WebsiteConfig = { ...rest, url: url.trim(), selector: selector.trim() || null };
  return {
    name: name.trim() || null,
    config,
    interval_hours: interval === 'manual' ? null : Number(interval),
  };
}
