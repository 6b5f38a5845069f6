/** The parameters of a tool as fields of a form, and what was typed as its arguments. */

export interface Parameter {
  name: string;
  label: string;
  description: string;
  required: boolean;
  kind: 'text' | 'number' | 'boolean' | 'choice' | 'json';
  choices: string[];
  initial: string;
}

interface Schema {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  default?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
}

/** What remains of a schema that also allows null. */
function withoutNull(schema: Schema): Schema {
  const options = (schema.anyOf ?? schema.oneOf ?? []).filter((one) => one.type !== 'null');
  return options.length === 1 ? { ...options[0], ...schema, type: options[0]?.type } : schema;
}

function kindOf(schema: Schema): Parameter['kind'] {
  const types = Array.isArray(schema.type) ? schema.type.filter((one) => one !== 'null') : [schema.type];
  if (schema.enum?.every((value) => typeof value === 'string')) return 'choice';
  if (types.length > 1) return 'json';
  if (types[0] === 'string') return 'text';
  if (types[0] === 'number' || types[0] === 'integer') return 'number';
  if (types[0] === 'boolean') return 'boolean';
  return 'json';
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function parametersOf(parameters: unknown): Parameter[] {
  const schema = (parameters ?? {}) as Schema;
  const needed = new Set(schema.required ?? []);
  const found = Object.entries(schema.properties ?? {}).map(([name, given]) => {
    const one = withoutNull(given);
    const own = one.description ?? given.anyOf?.find((option) => option.description)?.description;
    return {
      name,
      label: name,
      description: own ?? '',
      required: needed.has(name),
      kind: kindOf(one),
      choices: (one.enum ?? []).map(String),
      initial: textOf(one.default),
    };
  });
  return found.sort((a, b) => Number(b.required) - Number(a.required));
}

export type Reading = { ok: true; value: Record<string, unknown> } | { ok: false; name: string };

/** What was typed as arguments; fields left empty are left out. */
export function argumentsOf(parameters: Parameter[], typed: Record<string, string>): Reading {
  const value: Record<string, unknown> = {};
  for (const { name, kind } of parameters) {
    const text = (typed[name] ?? '').trim();
    if (!text) continue;
    if (kind === 'text' || kind === 'choice') value[name] = typed[name];
    else if (kind === 'boolean') value[name] = text === 'true';
    else if (kind === 'number') {
      if (!Number.isFinite(Number(text))) return { ok: false, name };
      value[name] = Number(text);
    } else {
      try {
        value[name] = JSON.parse(text);
      } catch {
        return { ok: false, name };
      }
    }
  }
  return { ok: true, value };
}
