/** Connecting a model: a vendor, three fields, a test that shows the real error. */
import { Autocomplete, Button, Group, PasswordInput, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlugConnected } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  getStatusQueryKey,
  listModelPresetsOptions,
  listModelsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { changeModel, checkModelDraft, createModel, listRemoteModels } from '../../api/generated/sdk.gen';
import type { ModelView, Parameters } from '../../api/generated/types.gen';
import { SideSheet } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { useNotify } from '../../components/useNotify';
import { CheckOutcome } from './CheckOutcome';
import { type Shape, shapes } from './shapes';

type Kind = 'LLM' | 'EMBEDDING' | 'RERANKER';
interface Editing {
  kind: Kind;
  model: ModelView | null;
}

export function ModelDrawer({ editing, onClose }: { editing: Editing | null; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <SideSheet
      opened={editing !== null}
      onClose={onClose}
      size={460}
      title={editing?.model ? t('models.editTitle', { name: editing.model.name }) : t('models.addTitle')}
    >
      {editing && <ModelForm editing={editing} onClose={onClose} />}
    </SideSheet>
  );
}

function ModelForm({ editing, onClose }: { editing: Editing; onClose: () => void }) {
  const { t } = useTranslation();
  const { model } = editing;
  const client = useQueryClient();
  const { done } = useNotify();
  const presets = useQuery(listModelPresetsOptions());
  const [preset, setPreset] = useState<string | null>(null);
  const form = useForm({
    initialValues: {
      kind: editing.kind,
      base_url: model?.base_url ?? '',
      api_key: '',
      model_name: model?.model_name ?? '',
      name: model?.name ?? '',
      is_default: model?.is_default ?? true,
      shape: (model?.parameters.shape ?? null) as Shape | null,
    },
    validate: {
      base_url: (value) => (/^https?:\/\/.+/.test(value.trim()) ? null : t('models.urlNeeded')),
      model_name: (value) => (value.trim() ? null : t('setup.needed')),
    },
  });
  const { values } = form;
  const offered = (presets.data?.items ?? []).filter((one) => one.kinds.includes(values.kind));
  const vendor = offered.find((one) => one.id === preset);
  const draft = () => ({
    kind: values.kind,
    base_url: values.base_url.trim(),
    api_key: values.api_key.trim() || null,
    model_name: values.model_name.trim(),
    name: values.name.trim() || values.model_name.trim(),
    is_default: values.is_default,
    ...(values.kind === 'RERANKER' && {
      parameters: { ...(model?.parameters as Parameters | undefined), shape: values.shape },
    }),
  });
  const endpointReady = /^https?:\/\/.+/.test(values.base_url.trim());
  const remote = useMutation({
    mutationFn: async () => {
      const { base_url, api_key } = draft();
      return (await listRemoteModels({ body: { base_url, api_key }, throwOnError: true })).data.names;
    },
  });
  const check = useMutation({
    mutationFn: async () => (await checkModelDraft({ body: draft(), throwOnError: true })).data,
  });
  const save = useMutation({
    mutationFn: async () => {
      const { kind, api_key, ...rest } = draft();
      if (!model) return (await createModel({ body: draft(), throwOnError: true })).data;
      const body = api_key ? { ...rest, api_key } : rest;
      return (await changeModel({ path: { model_id: model.id }, body, throwOnError: true })).data;
    },
    onSuccess: async () => {
      client.invalidateQueries({ queryKey: getStatusQueryKey() });
      await client.invalidateQueries({ queryKey: [{ _id: listModelsQueryKey()[0]._id }] });
      done(t('common.saved'));
      onClose();
    },
  });
  const choosePreset = (id: string | null) => {
    setPreset(id);
    const chosen = offered.find((one) => one.id === id);
    if (!chosen) return;
    form.setValues({ base_url: chosen.base_url, model_name: chosen.example_models[values.kind] ?? '' });
  };
  return (
    <form onSubmit={form.onSubmit(() => save.mutate())} noValidate>
      <Stack>
        {!model && (
          <>
            <Select
              label={t('models.kind')}
              data={[
                { value: 'LLM', label: t('models.kinds.LLM') },
                { value: 'EMBEDDING', label: t('models.kinds.EMBEDDING') },
                { value: 'RERANKER', label: t('models.kinds.RERANKER') },
              ]}
              {...form.getInputProps('kind')}
            />
            <Select
              label={t('models.vendor')}
              description={t('models.vendorHint')}
              placeholder={t('models.vendorChoose')}
              searchable
              nothingFoundMessage={t('common.nothingFound')}
              data={offered.map((one) => ({ value: one.id, label: one.name }))}
              value={preset}
              onChange={choosePreset}
            />
          </>
        )}
        <TextInput
          label={t('models.baseUrl')}
          description={t(values.kind === 'RERANKER' ? 'models.rerankUrlHint' : 'models.baseUrlHint')}
          inputMode="url"
          {...form.getInputProps('base_url')}
        />
        <PasswordInput
          label={t('models.apiKey')}
          description={
            model?.credential_hint
              ? t('models.keyKept', { key: model.credential_hint })
              : vendor && !vendor.needs_key
                ? t('models.keyNotNeeded')
                : t('models.keyHint')
          }
          autoComplete="off"
          {...form.getInputProps('api_key')}
        />
        <Autocomplete
          label={t('models.modelName')}
          description={t('models.modelNameHint')}
          data={remote.data ?? []}
          limit={50}
          onFocus={() => {
            if (
              endpointReady &&
              !remote.isPending &&
              !remote.data &&
              (values.api_key || vendor?.needs_key === false)
            ) {
              remote.mutate();
            }
          }}
          {...form.getInputProps('model_name')}
        />
        {values.kind === 'RERANKER' && (
          <Select
            label={t('models.shape')}
            description={t('models.shapeHint')}
            placeholder={t('models.shapeAuto')}
            clearable
            data={shapes.map((value) => ({ value, label: t(`models.shapes.${value}`) }))}
            {...form.getInputProps('shape')}
          />
        )}
        <TextInput
          label={t('models.displayName')}
          placeholder={values.model_name}
          {...form.getInputProps('name')}
        />
        {values.kind !== 'RERANKER' && (
          <Switch
            label={t('models.useAsDefault')}
            {...form.getInputProps('is_default', { type: 'checkbox' })}
          />
        )}
        {check.data && <CheckOutcome result={check.data} />}
        {(check.error ?? save.error) && <Problem error={check.error ?? save.error} />}
        <Group justify="space-between">
          <Button
            variant="default"
            leftSection={<IconPlugConnected size={16} />}
            loading={check.isPending}
            disabled={Boolean(model) && !values.api_key}
            title={model && !values.api_key ? t('models.testOnCard') : undefined}
            onClick={() => {
              if (!form.validate().hasErrors) check.mutate();
            }}
          >
            {t('models.test')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t('common.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
