/** What is typed of an HTTP interface, and what is sent of it. */
import type {
  AuthDraftWritable,
  InterfaceDocumentView,
  ToolInterfaceView,
} from '../../../api/generated/types.gen';

export const authKinds = ['none', 'bearer', 'header', 'query', 'basic'] as const;
export type AuthKind = (typeof authKinds)[number];

export interface InterfaceValues {
  name: string;
  baseUrl: string;
  operations: string[];
  authKind: AuthKind;
  authName: string;
  token: string;
  username: string;
  password: string;
  tells: 'none' | 'ids' | 'full';
}

/** Operations that read are chosen from the start where there are few; what changes something is left to people. */
const fewOperations = 12;

export function valuesOfDocument(document: InterfaceDocumentView): InterfaceValues {
  const usable = document.operations.filter((one) => !one.unsupported && !one.deprecated && one.read_only);
  return {
    name: document.title,
    baseUrl: document.base_url,
    operations: usable.length <= fewOperations ? usable.map((one) => one.key) : [],
    authKind: document.auth_kind,
    authName: document.auth_name,
    token: '',
    username: '',
    password: '',
    tells: 'none',
  };
}

export function valuesOfInterface(found: ToolInterfaceView): InterfaceValues {
  return {
    name: found.name,
    baseUrl: found.base_url,
    operations: found.operations.filter((one) => one.tool_id).map((one) => one.key),
    authKind: found.auth.kind,
    authName: found.auth.name,
    token: '',
    username: '',
    password: '',
    tells: found.tells_caller,
  };
}

export type InterfaceFault = 'needed' | 'address' | 'operations';

export function interfaceFaultsOf(
  values: InterfaceValues,
): Partial<Record<keyof InterfaceValues, InterfaceFault>> {
  const faults: Partial<Record<keyof InterfaceValues, InterfaceFault>> = {};
  if (!values.name.trim()) faults.name = 'needed';
  if (!/^https?:\/\/[^\s]+$/.test(values.baseUrl.trim())) faults.baseUrl = 'address';
  if ((values.authKind === 'header' || values.authKind === 'query') && !values.authName.trim()) {
    faults.authName = 'needed';
  }
  if (values.operations.length === 0) faults.operations = 'operations';
  return faults;
}

function authOf(values: InterfaceValues): AuthDraftWritable {
  const { authKind: kind } = values;
  const named = kind === 'header' || kind === 'query';
  return {
    kind,
    ...(named ? { name: values.authName.trim() } : {}),
    ...(kind !== 'none' && kind !== 'basic' && values.token ? { token: values.token } : {}),
    ...(kind === 'basic' && values.username ? { username: values.username } : {}),
    ...(kind === 'basic' && values.password ? { password: values.password } : {}),
  };
}

export function interfaceDraftOf(values: InterfaceValues) {
  return {
    name: values.name.trim(),
    base_url: values.baseUrl.trim(),
    operations: values.operations,
    auth: authOf(values),
    tells_caller: values.tells,
  };
}
