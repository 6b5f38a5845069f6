/** What the form of a source holds, and what is sent of it. */
import type { UseFormReturnType } from '@mantine/form';
import type { ExternalSourceChangeWritable, NewExternalSourceWritable } from '../../api/generated/types.gen';
import { configOf, type Values } from './configValues';
import type { Kind } from './kinds';

export interface SourceFormValues {
  name: string;
  kind: Kind;
  config: Values;
  credential: string;
  removeCredential: boolean;
  model: string | null;
  timeout: number | string;
}

/** What a field needs of the form. */
export type FormInputs = Pick<UseFormReturnType<SourceFormValues>, 'getInputProps'>;

const timeoutOf = ({ timeout }: SourceFormValues) => Number(timeout) || 10;

export function draftOf(values: SourceFormValues, name: string): NewExternalSourceWritable {
  return {
    name: values.name.trim() || name,
    kind: values.kind,
    config: configOf(values.kind, values.config),
    timeout_s: timeoutOf(values),
    ...(values.credential ? { credential: values.credential } : {}),
    ...(values.model ? { model_id: values.model } : {}),
  };
}

/** A credential that was not typed stays as it is. */
export function changeOf(values: SourceFormValues, name: string): ExternalSourceChangeWritable {
  return {
    name: values.name.trim() || name,
    config: configOf(values.kind, values.config),
    timeout_s: timeoutOf(values),
    ...(values.credential ? { credential: values.credential } : {}),
    ...(values.removeCredential && !values.credential ? { credential: null } : {}),
  };
}
