/** A server's settings as fields of a form, and back. */
import type { NewToolServerWritable, ToolServerView } from '../../api/generated/types.gen';
import { draftsOf, linesOf, pairsOf, rowsOf, type VariableRow } from './lines';

export type Grant = 'none' | 'client_credentials' | 'authorization_code';

export interface ServerValues {
  name: string;
  transport: ToolServerView['transport'];
  url: string;
  token: string;
  headers: string;
  command: string;
  args: string;
  env: string;
  variables: VariableRow[];
  grant: Grant;
  clientId: string;
  clientSecret: string;
  scope: string;
  issuer: string;
  asks: ToolServerView['asks'];
  tells: 'ids' | 'full' | 'none';
  timeout: number | string;
  maxChars: number | string;
}

interface Config {
  url?: string;
  headers?: Record<string, string>;
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  cwd?: string;
  tells_caller?: ServerValues['tells'];
  oauth?: {
    grant: Exclude<Grant, 'none'>;
    client_id?: string | null;
    client_secret?: string | null;
    scope?: string | null;
    issuer?: string | null;
  };
}

export const bearerVariable = 'BEARER_TOKEN';

export function valuesOf(server: ToolServerView | null): ServerValues {
  const config = (server?.config ?? {}) as Config;
  return {
    name: server?.name ?? '',
    transport: server?.transport ?? 'http',
    url: config.url ?? '',
    token: '',
    headers: linesOf(config.headers, ':'),
    command: config.command ?? '',
    args: (config.args ?? []).join('\n'),
    env: linesOf(config.env, '='),
    variables: rowsOf(server),
    grant: config.oauth?.grant ?? 'none',
    clientId: config.oauth?.client_id ?? '',
    clientSecret: config.oauth?.client_secret ?? '',
    scope: config.oauth?.scope ?? '',
    issuer: config.oauth?.issuer ?? '',
    asks: server?.asks ?? 'changes',
    tells: config.tells_caller ?? 'ids',
    timeout: server?.timeout_s ?? 30,
    maxChars: server?.max_result_chars ?? 20_000,
  };
}

export function draftOf(values: ServerValues, server: ToolServerView | null): NewToolServerWritable {
  const isCommand = values.transport === 'stdio';
  const cwd = (server?.config as Config | undefined)?.cwd;
  const config = isCommand
    ? {
        command: values.command.trim(),
        args: values.args.split('\n').filter((line) => line.trim()),
        env: pairsOf(values.env, '=').pairs,
        ...(cwd ? { cwd } : {}),
      }
    : { url: values.url.trim(), headers: pairsOf(values.headers, ':').pairs, ...oauthOf(values) };
  return {
    name: values.name.trim(),
    transport: values.transport,
    config: { ...config, tells_caller: values.tells },
    variables: draftsOf(values.variables),
    asks: values.asks,
    timeout_s: Number(values.timeout) || 30,
    max_result_chars: Number(values.maxChars) || 20_000,
    ...(values.token && !isCommand ? { bearer_token: values.token } : {}),
  };
}

function oauthOf(values: ServerValues) {
  if (values.grant === 'none') return {};
  const given = {
    client_id: values.clientId.trim(),
    client_secret: values.clientSecret.trim(),
    scope: values.scope.trim(),
    issuer: values.issuer.trim(),
  };
  const kept = Object.fromEntries(Object.entries(given).filter(([, value]) => value));
  return { oauth: { grant: values.grant, ...kept } };
}

export type Fault = 'needed' | 'address' | number;

/** What is wrong with what was typed, by field; a number is the line that cannot be read. */
export function faultsOf(values: ServerValues): Partial<Record<keyof ServerValues, Fault>> {
  const faults: Partial<Record<keyof ServerValues, Fault>> = {};
  if (!values.name.trim()) faults.name = 'needed';
  if (values.transport === 'stdio') {
    if (!values.command.trim()) faults.command = 'needed';
    const { fault } = pairsOf(values.env, '=');
    if (fault) faults.env = fault;
  } else {
    if (!/^(https?:\/\/|\$\{)/i.test(values.url.trim())) faults.url = 'address';
    const { fault } = pairsOf(values.headers, ':');
    if (fault) faults.headers = fault;
  }
  return faults;
}
