/** Metadata of a document: what its file says of itself, and what people say, which wins. */
import type { DocumentView } from '../../api/generated/types.gen';

export type Value = unknown;

/** Keys with an input of their own; the rest are lines of text. */
export const knownKeys = {
  title: 'text',
  author: 'text',
  doc_type: 'text',
  department: 'tags',
  effective_date: 'date',
  published_at: 'date',
  language: 'text',
} as const;
export type KnownKey = keyof typeof knownKeys;

export const isKnown = (key: string): key is KnownKey => Object.hasOwn(knownKeys, key);

const same = (a: Value, b: Value) => JSON.stringify(a) === JSON.stringify(b);

/** What people said: whatever is not as the file says it. */
export function ownMeta({ meta, found_meta }: Pick<DocumentView, 'meta' | 'found_meta'>) {
  return Object.fromEntries(Object.entries(meta).filter(([key, value]) => !same(value, found_meta[key])));
}

export function asText(value: Value): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(asText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A day as a date field wants it, or nothing if the value is none. */
export function asDay(value: Value): string {
  const found = typeof value === 'string' ? /^\d{4}-\d{2}-\d{2}/.exec(value) : null;
  return found ? found[0] : '';
}

/** Own metadata with one more value. What is emptied is no longer said; null hides what the file says. */
export function withValue(
  own: Record<string, Value>,
  key: string,
  value: Value,
  found: Record<string, Value>,
): Record<string, Value> {
  const isEmpty = value === '' || (Array.isArray(value) && value.length === 0);
  if (!isEmpty) return { ...own, [key]: value };
  if (found[key] !== undefined) return { ...own, [key]: null };
  const { [key]: _gone, ...rest } = own;
  return rest;
}

/** Keys whose values are short enough to be read and edited as text. */
export const isPlain = (value: Value) =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** The value that was typed, as the kind of value it was before. */
export function typed(text: string, before: Value): Value {
  const trimmed = text.trim();
  if (typeof before === 'number' && trimmed !== '' && Number.isFinite(Number(trimmed)))
    return Number(trimmed);
  if (typeof before === 'boolean' && (trimmed === 'true' || trimmed === 'false')) return trimmed === 'true';
  return trimmed;
}
