/** The fields of an HTTP interface, new or kept. */
import { Button, Group, Input, PasswordInput, Select, Stack, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { OperationView, SecretView } from '../../../api/generated/types.gen';
import { Problem } from '../../../components/Problem';
import { authKinds, type InterfaceFault, type InterfaceValues, interfaceFaultsOf } from './interfaceValues';
import { OperationPicker } from './OperationPicker';

interface Props {
  initial: InterfaceValues;
  operations: OperationView[];
  /** Secrets that are kept, as masks. */
  kept: SecretView[];
  isNew?: boolean;
  onBack?: () => void;
  onSave: (values: InterfaceValues) => Promise<void>;
}

export function InterfaceFields({ initial, operations, kept, isNew, onBack, onSave }: Props) {
  const { t } = useTranslation();
  const words: Record<InterfaceFault, string> = {
    needed: t('setup.needed'),
    address: t('tools.form.urlNeeded'),
    operations: t('storedTools.faults.operations'),
  };
  const form = useForm<InterfaceValues>({
    initialValues: initial,
    validate: (values) =>
      Object.fromEntries(
        Object.entries(interfaceFaultsOf(values)).map(([name, fault]) => [name, words[fault]]),
      ),
  });
  const save = useMutation({ mutationFn: onSave });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        <TextInput
          label={t('common.name')}
          maxLength={200}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label={t('storedTools.http.baseUrl')}
          type="url"
          required
          {...form.getInputProps('baseUrl')}
        />
        <Input.Wrapper
          label={t('storedTools.http.operations')}
          description={t('storedTools.http.operationsHint')}
          error={form.errors.operations}
          labelElement="div"
        >
          <OperationPicker
            operations={operations}
            chosen={form.values.operations}
            onChange={(keys) => form.setFieldValue('operations', keys)}
          />
        </Input.Wrapper>
        <AuthFields form={form} kept={kept} />
        <Select
          label={t('tools.form.tells')}
          description={t('storedTools.http.tellsHint')}
          allowDeselect={false}
          data={(['none', 'ids', 'full'] as const).map((value) => ({
            value,
            label: t(`tools.form.tellsChoices.${value}`),
          }))}
          {...form.getInputProps('tells')}
        />
        {save.error && <Problem error={save.error} />}
        <Group justify={onBack ? 'space-between' : 'flex-end'}>
          {onBack && (
            <Button variant="default" onClick={onBack}>
              {t('storedTools.http.back')}
            </Button>
          )}
          <Button type="submit" loading={save.isPending}>
            {isNew ? t('storedTools.http.add') : t('common.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function AuthFields({ form, kept }: { form: UseFormReturnType<InterfaceValues>; kept: SecretView[] }) {
  const { t } = useTranslation();
  const { authKind } = form.values;
  const hint = (name: string) => {
    const found = kept.find((secret) => secret.name === name);
    return found ? t('tools.form.variableKept', { shown: found.shown }) : '';
  };
  return (
    <>
      <Select
        label={t('storedTools.auth.label')}
        allowDeselect={false}
        data={authKinds.map((value) => ({ value, label: t(`storedTools.auth.kinds.${value}`) }))}
        {...form.getInputProps('authKind')}
      />
      {(authKind === 'header' || authKind === 'query') && (
        <TextInput label={t('storedTools.auth.name')} required {...form.getInputProps('authName')} />
      )}
      {authKind !== 'none' && authKind !== 'basic' && (
        <PasswordInput
          label={t('storedTools.auth.token')}
          description={t('storedTools.auth.tokenHint')}
          placeholder={hint('token')}
          autoComplete="off"
          {...form.getInputProps('token')}
        />
      )}
      {authKind === 'basic' && (
        <>
          <TextInput
            label={t('storedTools.auth.username')}
            placeholder={hint('username')}
            autoComplete="off"
            {...form.getInputProps('username')}
          />
          <PasswordInput
            label={t('storedTools.auth.password')}
            placeholder={hint('password')}
            autoComplete="off"
            {...form.getInputProps('password')}
          />
        </>
      )}
    </>
  );
}
