/** Adding a tool server or changing one, with a test that shows its tools before anything is saved. */
import {
  Accordion,
  Button,
  Group,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { IconPlugConnected } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import {
  changeToolServer,
  checkToolServer,
  checkToolServerDraft,
  createToolServer,
} from '../../api/generated/sdk.gen';
import type { ToolServerView } from '../../api/generated/types.gen';
import { SideSheet } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { CheckOutcome } from './CheckOutcome';
import { SignInFields } from './SignInFields';
import { bearerVariable, draftOf, type Fault, faultsOf, type ServerValues, valuesOf } from './serverValues';
import classes from './Tools.module.css';
import { VariableFields } from './VariableFields';

interface Props {
  /** The server to change; null: a new one. */
  server: ToolServerView | null;
  opened: boolean;
  onClose: () => void;
  onDone: () => unknown;
}

export function ServerForm(props: Props) {
  const { t } = useTranslation();
  const title = props.server ? t('tools.servers.edit', { name: props.server.name }) : t('tools.servers.add');
  return (
    <SideSheet opened={props.opened} onClose={props.onClose} size={560} title={title}>
      {props.opened && <Form {...props} />}
    </SideSheet>
  );
}

export type ServerInputs = UseFormReturnType<ServerValues>;

function Form({ server, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const told = (fault: Fault) =>
    typeof fault === 'number'
      ? t('tools.form.lineFault', { line: fault })
      : fault === 'address'
        ? t('tools.form.urlNeeded')
        : t('setup.needed');
  const form = useForm<ServerValues>({
    initialValues: valuesOf(server),
    validate: (values) =>
      Object.fromEntries(Object.entries(faultsOf(values)).map(([name, fault]) => [name, told(fault)])),
  });
  const { transport, name } = form.values;
  const check = useMutation({
    mutationFn: async (values: ServerValues) => {
      const body = { ...draftOf(values, server), ...(server ? { server_id: server.id } : {}) };
      return (await checkToolServerDraft({ body, throwOnError: true })).data;
    },
  });
  const save = useMutation({
    mutationFn: async (values: ServerValues) => {
      const body = draftOf(values, server);
      if (!server) return (await createToolServer({ body, throwOnError: true })).data;
      return (await changeToolServer({ path: { server_id: server.id }, body, throwOnError: true })).data;
    },
    onSuccess: async (saved) => {
      onClose();
      await onDone();
      // How it went stands in the list; the server is saved either way.
      await checkToolServer({ path: { server_id: saved.id } });
      await onDone();
    },
  });
  const hasToken = server?.variables.some((variable) => variable.name === bearerVariable) ?? false;
  const example = `${(name || 'orders').replace(/[^A-Za-z0-9_-]+/g, '_')}__order_query`;
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        <TextInput
          label={t('common.name')}
          description={t('tools.form.nameHint', { example })}
          maxLength={200}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Select
          label={t('tools.form.transport')}
          description={t(`tools.form.transportHints.${transport}`)}
          allowDeselect={false}
          data={(['http', 'sse', 'stdio'] as const).map((value) => ({
            value,
            label: t(`tools.transports.${value}`),
          }))}
          {...form.getInputProps('transport')}
        />
        {transport === 'stdio' ? (
          <CommandFields form={form} />
        ) : (
          <AddressFields form={form} kept={hasToken} />
        )}
        <VariableFields
          rows={form.values.variables}
          onChange={(rows) => form.setFieldValue('variables', rows)}
        />
        <Accordion variant="separated">
          <Accordion.Item value="more">
            <Accordion.Control>{t('tools.form.more')}</Accordion.Control>
            <Accordion.Panel>
              <MoreFields form={form} />
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
        {check.data && <CheckOutcome check={check.data} />}
        {(check.error ?? save.error) && <Problem error={check.error ?? save.error} />}
        <Group justify="space-between">
          <Button
            variant="default"
            leftSection={<IconPlugConnected size={16} />}
            loading={check.isPending}
            onClick={() => {
              save.reset();
              if (!form.validate().hasErrors) check.mutate(form.values);
            }}
          >
            {t('tools.servers.test')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {server ? t('common.save') : t('tools.servers.add')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function AddressFields({ form, kept }: { form: ServerInputs; kept: boolean }) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        label={t('tools.form.url')}
        type="url"
        placeholder={t('tools.form.urlExample')}
        required
        {...form.getInputProps('url')}
      />
      <PasswordInput
        label={t('tools.form.token')}
        description={kept ? t('tools.form.tokenKept') : t('tools.form.tokenHint')}
        autoComplete="off"
        {...form.getInputProps('token')}
      />
      <Lines form={form} name="headers" label={t('tools.form.headers')} hint={t('tools.form.headersHint')} />
    </>
  );
}

function CommandFields({ form }: { form: ServerInputs }) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        label={t('tools.form.command')}
        description={t('tools.form.commandHint')}
        required
        {...form.getInputProps('command')}
      />
      <Lines form={form} name="args" label={t('tools.form.args')} hint={t('tools.form.argsHint')} />
      <Lines form={form} name="env" label={t('tools.form.env')} hint={t('tools.form.envHint')} />
    </>
  );
}

interface LinesProps {
  form: ServerInputs;
  name: 'headers' | 'args' | 'env';
  label: string;
  hint: string;
}

function Lines({ form, name, label, hint }: LinesProps) {
  return (
    <Textarea
      label={label}
      description={hint}
      autosize
      minRows={2}
      maxRows={8}
      spellCheck={false}
      classNames={{ input: classes.code }}
      {...form.getInputProps(name)}
    />
  );
}

function MoreFields({ form }: { form: ServerInputs }) {
  const { t } = useTranslation();
  return (
    <Stack>
      {form.values.transport !== 'stdio' && <SignInFields form={form} />}
      <Select
        label={t('tools.form.asks')}
        description={t('tools.form.asksHints')}
        allowDeselect={false}
        data={(['changes', 'always', 'never'] as const).map((value) => ({
          value,
          label: t(`tools.form.askChoices.${value}`),
        }))}
        {...form.getInputProps('asks')}
      />
      <Select
        label={t('tools.form.tells')}
        description={t('tools.form.tellsHint')}
        allowDeselect={false}
        data={(['ids', 'full', 'none'] as const).map((value) => ({
          value,
          label: t(`tools.form.tellsChoices.${value}`),
        }))}
        {...form.getInputProps('tells')}
      />
      <NumberInput label={t('tools.form.timeout')} min={0.1} max={600} {...form.getInputProps('timeout')} />
      <NumberInput
        label={t('tools.form.maxChars')}
        description={t('tools.form.maxCharsHint')}
        min={100}
        max={1_000_000}
        step={1000}
        {...form.getInputProps('maxChars')}
      />
    </Stack>
  );
}
