/** What of a base's documents is listed, and how it is asked of the server. */
import type { DocumentView } from '../../api/generated/types.gen';

export interface Filter {
  group: 'all' | 'working' | 'ready' | 'failed';
  attention: boolean;
  active: 'all' | 'yes' | 'no';
  kind: string | null;
  /** One `key=value` each. */
  meta: string[];
}

export const noFilter: Filter = { group: 'all', attention: false, active: 'all', kind: null, meta: [] };

const states: Record<Filter['group'], DocumentView['state'][] | null> = {
  all: null,
  working: ['queued', 'parsing', 'splitting', 'indexing'],
  ready: ['ready'],
  failed: ['failed', 'cancelled'],
};

/** A condition on metadata as it was typed, or null if it is none. */
export function metaCondition(text: string): [string, string] | null {
  const at = text.indexOf('=');
  if (at <= 0) return null;
  const key = text.slice(0, at).trim();
  const value = text.slice(at + 1).trim();
  return key && value ? [key, value] : null;
}

export function queryOf(filter: Filter, q: string) {
  const conditions = filter.meta.map(metaCondition).filter((one) => one !== null);
  const state = states[filter.group];
  return {
    limit: 100,
    ...(q ? { q } : {}),
    ...(state ? { state } : {}),
    ...(filter.attention ? { attention: true } : {}),
    ...(filter.active === 'all' ? {} : { active: filter.active === 'yes' }),
    ...(filter.kind ? { kind: [filter.kind] } : {}),
    ...Object.fromEntries(conditions.map(([key, value]) => [`meta.${key}`, value])),
  };
}

/** How many conditions are set beside the state, which has a field of its own. */
export const countConditions = (filter: Filter) =>
  Number(filter.active !== 'all') + Number(filter.kind !== null) + filter.meta.filter(metaCondition).length;
