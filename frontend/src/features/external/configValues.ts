/** The settings of a source as the values of a form, and back. */
import { type Field, fieldsOf, type Kind } from './kinds';

export type Value = Field['initial'];
export type Values = Record<string, Value>;

const at = (config: Record<string, unknown>, { name, path }: Field): unknown =>
  path ? (config[path[0]] as Record<string, unknown> | undefined)?.[path[1]] : config[name];

/** A kind's values: those of the settings, else the defaults. */
export function valuesOf(kind: Kind, config: Record<string, unknown> = {}): Values {
  return Object.fromEntries(
    fieldsOf[kind].map((field) => {
      const kept = at(config, field);
      if (kept === undefined) return [field.name, field.initial];
      if (field.type === 'json') return [field.name, kept === null ? '' : JSON.stringify(kept, null, 2)];
      return [field.name, (kept ?? '') as Value];
    }),
  );
}

/** The settings to send; a field that is left empty is left out, or empty where that says something. */
export function configOf(kind: Kind, values: Values): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const field of fieldsOf[kind]) {
    const value = settingOf(field, values[field.name] ?? field.initial);
    if (value === undefined) continue;
    if (!field.path) config[field.name] = value;
    else {
      const [outer, inner] = field.path;
      config[outer] = { ...(config[outer] as object | undefined), [inner]: value };
    }
  }
  return config;
}

function settingOf(field: Field, value: Value): unknown {
  if (field.type === 'raw' || typeof value === 'boolean' || typeof value === 'number') return value;
  if (Array.isArray(value)) return value.map((one) => one.trim()).filter(Boolean);
  const trimmed = value.trim();
  if (field.type === 'json') return trimmed ? JSON.parse(trimmed) : field.name === 'body' ? null : {};
  // An empty path is a setting (the reply itself, or: it has none); an empty name of a column is none.
  const isPath = field.name === 'results' || field.path !== undefined;
  return trimmed || isPath ? trimmed : undefined;
}

export type Fault = 'needed' | 'address' | 'json';

/** What is wrong with a value, as far as the page can tell. */
export function faultOf(field: Field, value: Value): Fault | null {
  const isEmpty = Array.isArray(value) ? value.length === 0 : String(value).trim() === '';
  if (isEmpty) return field.required ? 'needed' : null;
  if (field.type === 'address' && !/^https?:\/\/[^\s@]+$/.test(String(value).trim())) return 'address';
  return field.type === 'json' && !isObject(String(value)) ? 'json' : null;
}

function isObject(written: string): boolean {
  try {
    const read: unknown = JSON.parse(written);
    return typeof read === 'object' && read !== null && !Array.isArray(read);
  } catch {
    return false;
  }
}

/** The server's complaints by the form's fields: `text_columns.0` is about `text_columns`. */
export function serverFaults(kind: Kind, details: Record<string, unknown>): Record<string, string> {
  const told = Array.isArray(details.fields) ? (details.fields as { field: string; reason: string }[]) : [];
  const faults: Record<string, string> = {};
  for (const { field, reason } of told) {
    const parts = field.split('.');
    const meant = fieldsOf[kind].find(({ name, path }) =>
      path ? path[0] === parts[0] && path[1] === parts[1] : name === parts[0],
    );
    if (meant) faults[meant.name] = reason;
  }
  return faults;
}
