/** Connecting a source, or changing one: what its kind needs, a test that shows the real error. */
import {
  Accordion,
  Alert,
  Button,
  Checkbox,
  Code,
  Group,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPackage, IconPlugConnected } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import {
  listExternalSourceKindsOptions,
  listModelsOptions,
} from '../../api/generated/@tanstack/react-query.gen';
import {
  changeExternalSource,
  checkExternalSource,
  checkExternalSourceDraft,
  createExternalSource,
} from '../../api/generated/sdk.gen';
import type { ExternalSourceView } from '../../api/generated/types.gen';
import { asProblem } from '../../api/problem';
import { SideSheet } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { ConfigField } from './ConfigField';
import { faultOf, serverFaults, valuesOf } from './configValues';
import { changeOf, draftOf, type FormInputs, type SourceFormValues } from './formValues';
import { fieldsOf, type Kind, kinds } from './kinds';
import { SourceOutcome } from './SourceOutcome';

interface Props {
  /** The source to change; null: a new one. */
  source: ExternalSourceView | null;
  opened: boolean;
  onClose: () => void;
  onDone: () => unknown;
}

export function SourceForm(props: Props) {
  const { t } = useTranslation();
  return (
    <SideSheet
      opened={props.opened}
      onClose={props.onClose}
      size={520}
      title={props.source ? t('external.editNamed', { name: props.source.name }) : t('external.connect')}
    >
      {props.opened && <Form {...props} />}
    </SideSheet>
  );
}

function Form({ source, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const known = useQuery(listExternalSourceKindsOptions());
  const form = useForm<SourceFormValues>({
    initialValues: {
      name: source?.name ?? '',
      kind: (source?.kind ?? 'http') as Kind,
      config: valuesOf((source?.kind ?? 'http') as Kind, source?.config),
      credential: '',
      removeCredential: false,
      model: null,
      timeout: source?.timeout_s ?? 10,
    },
    validate: (values) => {
      const faults: Record<string, string> = {};
      for (const field of fieldsOf[values.kind]) {
        const fault = faultOf(field, values.config[field.name] ?? '');
        if (fault) faults[`config.${field.name}`] = t(`external.faults.${fault}`);
      }
      if (!values.name.trim()) faults.name = t('setup.needed');
      return faults;
    },
  });
  const { kind } = form.values;
  const own = known.data?.items.find((one) => one.kind === kind);
  const isMissing = own?.is_installed === false;
  const fields = fieldsOf[kind];
  const folded = fields.filter(({ more }) => more);

  const complain = (error: Error) => {
    for (const [name, reason] of Object.entries(serverFaults(kind, asProblem(error).details))) {
      form.setFieldError(`config.${name}`, reason);
    }
  };
  const check = useMutation({
    mutationFn: async (values: SourceFormValues) => {
      const body = {
        ...draftOf(values, t(`external.kinds.${values.kind}`)),
        ...(source && !values.removeCredential ? { source_id: source.id } : {}),
      };
      return (await checkExternalSourceDraft({ body, throwOnError: true })).data;
    },
    onError: complain,
  });
  const save = useMutation({
    mutationFn: async (values: SourceFormValues) => {
      const name = t(`external.kinds.${values.kind}`);
      if (source) {
        const path = { source_id: source.id };
        return (await changeExternalSource({ path, body: changeOf(values, name), throwOnError: true })).data;
      }
      return (await createExternalSource({ body: draftOf(values, name), throwOnError: true })).data;
    },
    onSuccess: async (saved) => {
      onClose();
      await onDone();
      // How it went stands in the list; the source is saved either way.
      await checkExternalSource({ path: { source_id: saved.id } });
      await onDone();
    },
    onError: complain,
  });
  const chooseKind = (chosen: string | null) => {
    const next = kinds.find((one) => one === chosen);
    if (!next) return;
    check.reset();
    save.reset();
    form.clearErrors();
    form.setValues({ kind: next, config: valuesOf(next) });
  };
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        <Select
          label={t('external.kind')}
          description={t(`external.kindHints.${kind}`)}
          allowDeselect={false}
          disabled={source !== null}
          data={kinds.map((value) => ({ value, label: t(`external.kinds.${value}`) }))}
          value={kind}
          onChange={chooseKind}
        />
        {isMissing && (
          <Alert color="yellow" icon={<IconPackage size={18} />} title={t('external.notInstalled')}>
            <Text size="sm" mb="xs">
              {t('external.installWith')}
            </Text>
            <Code block>{own.install}</Code>
          </Alert>
        )}
        <TextInput
          label={t('common.name')}
          description={t('external.nameHint')}
          maxLength={200}
          required
          {...form.getInputProps('name')}
        />
        {fields
          .filter(({ more }) => !more)
          .map((field) => (
            <ConfigField key={`${kind}-${field.name}`} field={field} form={form} />
          ))}
        <PasswordInput
          label={t(`external.credential.${kind}`)}
          description={source?.has_credential ? t('external.credentialKept') : t('external.credentialHint')}
          autoComplete="off"
          disabled={form.values.removeCredential}
          {...form.getInputProps('credential')}
        />
        {source?.has_credential && (
          <Checkbox
            label={t('external.credentialRemove')}
            {...form.getInputProps('removeCredential', { type: 'checkbox' })}
          />
        )}
        {own?.needs_embedder && !source && <ModelField form={form} />}
        <Accordion variant="separated">
          <Accordion.Item value="more">
            <Accordion.Control>{t('external.more')}</Accordion.Control>
            <Accordion.Panel>
              <Stack>
                {folded.map((field) => (
                  <ConfigField key={`${kind}-${field.name}`} field={field} form={form} />
                ))}
                <NumberInput
                  label={t('external.timeout')}
                  description={t('external.timeoutHint')}
                  min={0.1}
                  max={60}
                  decimalScale={1}
                  {...form.getInputProps('timeout')}
                />
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
        {check.data && <SourceOutcome check={check.data} />}
        {(check.error ?? save.error) && <Problem error={check.error ?? save.error} />}
        <Group justify="space-between">
          <Button
            variant="default"
            leftSection={<IconPlugConnected size={16} />}
            loading={check.isPending}
            disabled={isMissing}
            onClick={() => {
              save.reset();
              if (!form.validate().hasErrors) check.mutate(form.values);
            }}
          >
            {t('external.test')}
          </Button>
          <Button type="submit" loading={save.isPending} disabled={isMissing && !source}>
            {source ? t('common.save') : t('external.connect')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ModelField({ form }: { form: FormInputs }) {
  const { t } = useTranslation();
  const models = useQuery(listModelsOptions({ query: { kind: 'EMBEDDING' } }));
  return (
    <Select
      label={t('external.model')}
      description={t('external.modelHint')}
      placeholder={t('external.modelDefault')}
      clearable
      data={(models.data?.items ?? []).map((model) => ({ value: model.id, label: model.name }))}
      {...form.getInputProps('model')}
    />
  );
}
