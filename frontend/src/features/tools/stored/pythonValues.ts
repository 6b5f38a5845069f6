/** What is typed of a Python tool, and what is sent of it. */
import type { StoredToolView } from '../../../api/generated/types.gen';

export interface SecretRow {
  name: string;
  value: string;
  /** How the kept one is shown; null: a new one. */
  kept: string | null;
}

export interface PythonValues {
  name: string;
  title: string;
  description: string;
  code: string;
  parameters: string;
  defaults: string;
  secrets: SecretRow[];
  readOnly: boolean;
  askFirst: boolean;
  timeout: number | string;
}

const example = `def run(order_id: str, days: int = 30):
    """Looks an order up."""
    return {"order": order_id, "state": "shipped", "days": days}
`;

export function pythonValuesOf(tool: StoredToolView | null): PythonValues {
  return {
    name: tool?.name ?? '',
    title: tool?.title ?? '',
    description: tool?.description ?? '',
    code: tool?.code ?? example,
    parameters: tool ? JSON.stringify(tool.parameters, null, 2) : '',
    defaults:
      tool && Object.keys(tool.defaults ?? {}).length > 0 ? JSON.stringify(tool.defaults, null, 2) : '',
    secrets: (tool?.secrets ?? []).map((secret) => ({ name: secret.name, value: '', kept: secret.shown })),
    readOnly: tool?.read_only ?? true,
    askFirst: tool?.ask_first ?? false,
    timeout: tool?.timeout_s ?? 30,
  };
}

export type PythonFault = 'needed' | 'name' | 'object';

function isObject(text: string): boolean {
  if (!text.trim()) return true;
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null && !Array.isArray(read);
  } catch {
    return false;
  }
}

export function pythonFaultsOf(values: PythonValues): Partial<Record<keyof PythonValues, PythonFault>> {
  const faults: Partial<Record<keyof PythonValues, PythonFault>> = {};
  if (!values.name.trim()) faults.name = 'needed';
  else if (!/^[A-Za-z0-9_-]{1,64}$/.test(values.name.trim())) faults.name = 'name';
  if (!values.code.trim()) faults.code = 'needed';
  if (!isObject(values.parameters)) faults.parameters = 'object';
  if (!isObject(values.defaults)) faults.defaults = 'object';
  if (values.secrets.some((row) => row.name && !/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(row.name.trim()))) {
    faults.secrets = 'name';
  }
  return faults;
}

function read(text: string): Record<string, unknown> | undefined {
  return text.trim() ? (JSON.parse(text) as Record<string, unknown>) : undefined;
}

/** Secrets that were typed; those that were kept and are gone from the form are removed. */
function secretsOf(rows: SecretRow[], tool: StoredToolView | null): Record<string, string | null> {
  const typed = rows.filter((row) => row.name.trim() && row.value);
  const names = new Set(rows.map((row) => row.name.trim()));
  const gone = (tool?.secrets ?? []).filter((secret) => !names.has(secret.name));
  return Object.fromEntries([
    ...gone.map((secret) => [secret.name, null]),
    ...typed.map((row) => [row.name.trim(), row.value]),
  ]);
}

/** What a trial needs. */
export function trialOf(values: PythonValues, tool: StoredToolView | null) {
  const parameters = read(values.parameters);
  return {
    code: values.code,
    defaults: read(values.defaults) ?? {},
    secrets: secretsOf(values.secrets, tool),
    ...(parameters ? { parameters } : {}),
    ...(tool ? { tool_id: tool.id } : {}),
  };
}

export function pythonDraftOf(values: PythonValues, tool: StoredToolView | null) {
  const { code, defaults, secrets, parameters } = trialOf(values, tool);
  return {
    name: values.name.trim(),
    title: values.title.trim(),
    description: values.description.trim(),
    code,
    defaults,
    secrets,
    ...(parameters ? { parameters } : {}),
    read_only: values.readOnly,
    ask_first: values.askFirst,
    timeout_s: Number(values.timeout) || 30,
  };
}
