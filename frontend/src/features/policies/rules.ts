/** The rules of a fallback policy as they are edited. */
import type { Happening, PolicyView } from '../../api/generated/types.gen';

export type Rule = PolicyView['rules'][number];
export type Action = Rule['action'];

export const actions: readonly Action[] = ['switch_to_model', 'retry', 'rate_limit', 'reject'];

const example = 'response_code == 503 || latency > 5000';

/** A rule of another action keeps its condition. */
export function ruleOf(action: Action, condition = example): Rule {
  switch (action) {
    case 'switch_to_model':
      return { action, condition, target_model_id: '', retry_times: 2 };
    case 'retry':
      return { action, condition, retry_times: 2, backoff_ms: 500 };
    case 'rate_limit':
      return { action, condition, delay_ms: 1000, retry_times: 1 };
    case 'reject':
      return { action, condition, message: '' };
  }
}

/** What is asked of a dry run most often. */
export const happenings = {
  unavailable: { response_code: 503, latency_ms: 100 },
  slow: { response_code: 200, latency_ms: 7000 },
  tooLong: { response_code: 400, latency_ms: 100, error: 'model-context-exceeded' },
  rateLimited: { response_code: 429, latency_ms: 50, retry_after_s: 2 },
  outOfMemory: { response_code: 500, latency_ms: 200, message: 'CUDA out of memory' },
  wrongKey: { response_code: 401, latency_ms: 50 },
} as const satisfies Record<string, Happening>;

export type HappeningName = keyof typeof happenings;
export const happeningNames = Object.keys(happenings) as HappeningName[];
