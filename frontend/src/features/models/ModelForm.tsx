/** What must be known of a model to call it, a test that shows the real error, and the key's one way in. */
import { Anchor, Button, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconArrowLeft, IconPlugConnected } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import {
  getStatusQueryKey,
  listModelPresetsOptions,
  listModelsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { changeModel, checkModelDraft, createModel } from '../../api/generated/sdk.gen';
import type { ModelView, Parameters, Preset } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { useNotify } from '../../components/useNotify';
import { CheckOutcome } from './CheckOutcome';
import { ConnectionFields } from './ConnectionFields';
import type { Kind } from './kinds';
import { ModelNameField } from './ModelNameField';
import { type Shape, shapes } from './shapes';
import { useVendorName } from './useVendorName';

interface Props {
  kind: Kind | null;
  model: ModelView | null;
  vendor: Preset | null;
  onBack: () => void;
  onClose: () => void;
}

export interface ModelValues {
  kind: Kind;
  base_url: string;
  api_key: string;
  model_name: string;
  name: string;
  is_default: boolean;
  shape: Shape | null;
  voice: string;
}

export function ModelForm({ kind, model, vendor, onBack, onClose }: Props) {
  const { t } = useTranslation();
  const nameOf = useVendorName();
  const client = useQueryClient();
  const { done } = useNotify();
  const presets = useQuery(listModelPresetsOptions());
  const chosen = vendor ?? presets.data?.items.find((one) => one.id === model?.provider) ?? null;
  const first = model?.kind ?? kind ?? chosen?.kinds[0] ?? 'LLM';
  const form = useForm<ModelValues>({
    initialValues: {
      kind: first,
      base_url: model?.base_url ?? chosen?.base_url ?? '',
      api_key: '',
      model_name: model?.model_name ?? chosen?.example_models[first] ?? '',
      name: model?.name ?? '',
      is_default: model?.is_default ?? true,
      shape: (model?.parameters.shape ?? null) as Shape | null,
      voice: typeof model?.parameters.voice === 'string' ? model.parameters.voice : '',
    },
    validate: {
      base_url: (value) => (/^https?:\/\/.+/.test(value.trim()) ? null : t('models.urlNeeded')),
      model_name: (value) => (value.trim() ? null : t('setup.needed')),
    },
  });
  const { values } = form;
  const offer = chosen?.offers.find((one) => one.kind === values.kind);
  const kept = (model?.parameters ?? {}) as Parameters;
  const own = {
    ...(values.kind === 'RERANKER' && values.shape ? { shape: values.shape } : {}),
    ...(values.kind === 'TTS' ? { voice: values.voice.trim() || null } : {}),
  };
  const draft = () => ({
    kind: values.kind,
    ...(chosen ? { provider: chosen.id } : {}),
    base_url: values.base_url.trim(),
    api_key: values.api_key.trim() || null,
    model_name: values.model_name.trim(),
    name: values.name.trim() || values.model_name.trim(),
    is_default: values.is_default,
    parameters: { ...kept, ...own },
  });
  const check = useMutation({
    mutationFn: async () => (await checkModelDraft({ body: draft(), throwOnError: true })).data,
  });
  const save = useMutation({
    mutationFn: async () => {
      const { kind: _kind, provider: _provider, api_key, ...rest } = draft();
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
  return (
    <form onSubmit={form.onSubmit(() => save.mutate())} noValidate>
      <Stack>
        {chosen && (
          <Group justify="space-between" wrap="nowrap">
            <Text fw={600}>{nameOf(chosen)}</Text>
            {vendor && (
              <Button
                variant="subtle"
                size="compact-sm"
                leftSection={<IconArrowLeft size={14} />}
                onClick={onBack}
              >
                {t('models.otherVendor')}
              </Button>
            )}
          </Group>
        )}
        {!model && chosen && (
          <Select
            label={t('models.kind')}
            allowDeselect={false}
            data={chosen.kinds.map((value) => ({ value, label: t(`models.kinds.${value}`) }))}
            {...form.getInputProps('kind')}
            onChange={(value) => {
              if (!value) return;
              const next = value as Kind;
              form.setValues({ kind: next, model_name: chosen.example_models[next] ?? '' });
            }}
          />
        )}
        <ConnectionFields form={form} vendor={chosen} model={model} />
        <ModelNameField form={form} vendor={chosen} offer={offer} />
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
        {values.kind === 'TTS' && (
          <TextInput
            label={t('models.voice')}
            description={t('models.voiceHint')}
            placeholder={offer?.voices[0] ?? ''}
            {...form.getInputProps('voice')}
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
        {chosen && (
          <Anchor href={chosen.docs} target="_blank" rel="noreferrer" size="sm">
            {t('models.vendorDocs')}
          </Anchor>
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
