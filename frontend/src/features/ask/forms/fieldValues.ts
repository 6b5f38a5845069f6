/** The values of a form's fields between what is shown and what is sent. */
import type { FormField } from '../../../api/generated/types.gen';

export type Values = Record<string, unknown>;

export const emptyValue = (field: FormField): unknown => (field.type === 'boolean' ? false : '');

const isEmpty = (value: unknown) => value == null || (typeof value === 'string' && value.trim() === '');

/** The required fields without a value. */
export const missingIn = (fields: FormField[], values: Values): string[] =>
  fields.filter((field) => field.required && isEmpty(values[field.name])).map((field) => field.name);

/** What is sent: nothing for what was left empty, and a choice as the value it stands for. */
export function sentValues(fields: FormField[], values: Values): Values {
  const sent: Values = {};
  for (const field of fields) {
    const value = values[field.name];
    if (isEmpty(value)) continue;
    const choice = field.enum?.find((one) => String(one) === value);
    sent[field.name] = choice ?? (typeof value === 'string' ? value.trim() : value);
  }
  return sent;
}
