import type { SplitOptions } from '../../api/generated/types.gen';

/** What is sent: empty patterns are lines somebody has not written yet. */
export const cleaned = (options: SplitOptions): SplitOptions => ({
  ...options,
  patterns: (options.patterns ?? []).filter((pattern) => pattern.trim() !== ''),
});

const plain = (options: SplitOptions) => {
  const { profile, limit, unit, min_size, with_filter, overlap } = options;
  const { include_comments, include_running, sheet_form } = options;
  return JSON.stringify([
    profile ?? 'standard',
    limit ?? null,
    unit ?? null,
    min_size ?? null,
    cleaned(options).patterns,
    with_filter ?? true,
    overlap ?? null,
    include_comments ?? false,
    include_running ?? false,
    sheet_form ?? 'auto',
  ]);
};

/** Whether two settings would cut a text the same way. */
export const sameSplit = (a: SplitOptions, b: SplitOptions) => plain(a) === plain(b);
