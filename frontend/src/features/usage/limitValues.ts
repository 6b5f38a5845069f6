/** What the form of a limit holds, and how it goes to the server and comes back. */
import type { LimitDraft, LimitView } from '../../api/generated/types.gen';

export const measures = ['requests', 'tokens', 'money'] as const;
export const windows = ['60', '3600', '86400', 'day', 'month', 'other'] as const;
export const dimensions = ['user', 'api_key', 'application', 'path', 'model'] as const;
/** The steps of an answer, each of which may have a model of its own. */
export const steps = [
  'answer',
  'rewrite',
  'memory',
  'intents',
  'guidance',
  'system',
  'retrieve',
  'tools',
  'empty',
] as const;
export const paths = [...steps, 'search', 'index', 'evaluate', 'check', 'gateway', 'try', 'other'] as const;

export interface LimitValues {
  name: string;
  amount: number | string;
  measure: string;
  currency: string;
  window: string;
  seconds: number | string;
  per: string[];
  user_id: string | null;
  api_key_id: string | null;
  application_id: string | null;
  model_id: string | null;
  path: string | null;
  is_hard: boolean;
  is_active: boolean;
}

export function valuesOf(limit: LimitView | null): LimitValues {
  const seconds = limit?.window_s ?? 60;
  const usual = windows.find((value) => value === String(seconds));
  return {
    name: limit?.name ?? '',
    amount: limit?.amount ?? '',
    measure: limit?.measure ?? 'requests',
    currency: limit?.currency ?? 'USD',
    window: limit && limit.window_kind !== 'seconds' ? limit.window_kind : (usual ?? 'other'),
    seconds,
    per: limit?.per ?? [],
    user_id: limit?.user_id ?? null,
    api_key_id: limit?.api_key_id ?? null,
    application_id: limit?.application_id ?? null,
    model_id: limit?.model_id ?? null,
    path: limit?.path ?? null,
    is_hard: limit?.is_hard ?? true,
    is_active: limit?.is_active ?? true,
  };
}

export function bodyOf(values: LimitValues): LimitDraft {
  const { window, seconds, measure, currency, per, amount, name, ...rest } = values;
  const kind = window === 'day' || window === 'month' ? window : 'seconds';
  const known = measures.find((one) => one === measure) ?? 'requests';
  return {
    ...rest,
    name: name.trim(),
    amount: Number(amount),
    measure: known,
    currency: known === 'money' ? currency.toUpperCase() : null,
    window_kind: kind,
    window_s: kind === 'seconds' ? Number(window === 'other' ? seconds : window) : null,
    per: dimensions.filter((one) => per.includes(one)),
  };
}
