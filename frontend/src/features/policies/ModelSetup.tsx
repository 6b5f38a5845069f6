/** How a model's health is watched, and what it can do: what was set by hand over what is usual. */
import { Button, Group, NumberInput, Select, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listModelHealthQueryKey, listModelsQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { changeModel } from '../../api/generated/sdk.gen';
import type { ModelView } from '../../api/generated/types.gen';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';

const flags = [
  'supports_streaming',
  'tool_calling_supported',
  'supports_images',
  'structured_output',
] as const;
const lengths = ['max_context_length', 'max_output_tokens'] as const;
const times = ['interval_ms', 'timeout_ms', 'latency_threshold', 'open_ms', 'failure_threshold'] as const;

const numberOr = <T,>(value: string | number, other: T) => (typeof value === 'number' ? value : other);

export function ModelSetup({ model, onClose }: { model: ModelView; onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [check, setCheck] = useState(model.health_check ?? {});
  const [can, setCan] = useState(model.capabilities);
  const save = useMutation({
    mutationFn: () =>
      changeModel({
        path: { model_id: model.id },
        body: { health_check: { ...check, path: check.path || null }, capabilities: can },
        throwOnError: true,
      }),
    onSuccess: () => {
      client.invalidateQueries({ queryKey: listModelHealthQueryKey() });
      client.invalidateQueries({ queryKey: [{ _id: listModelsQueryKey()[0]._id }] });
      onClose();
    },
  });
  return (
    <Dialog opened onClose={onClose} size="lg" title={t('policies.setUp', { model: model.name })}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack>
          <Title order={3} size="h6">
            {t('policies.healthCheck')}
          </Title>
          <TextInput
            label={t('policies.checkFields.path')}
            description={t('policies.pathHint')}
            value={check.path ?? ''}
            onChange={(event) => setCheck({ ...check, path: event.currentTarget.value })}
            maxLength={500}
            data-autofocus
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {times.map((field) => (
              <NumberInput
                key={field}
                label={t(`policies.checkFields.${field}`)}
                placeholder={t(`policies.checkDefaults.${field}`)}
                min={1}
                value={check[field] ?? ''}
                onChange={(value) => setCheck({ ...check, [field]: numberOr(value, undefined) })}
              />
            ))}
          </SimpleGrid>
          <Title order={3} size="h6">
            {t('policies.capabilities')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('policies.capabilitiesText')}
          </Text>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {flags.map((flag) => (
              <Select
                key={flag}
                label={t(`policies.can.${flag}`)}
                data={[
                  { value: 'yes', label: t('policies.yes') },
                  { value: 'no', label: t('policies.no') },
                ]}
                placeholder={model.abilities[flag] ? t('policies.usuallyYes') : t('policies.usuallyNo')}
                clearable
                value={can[flag] === null || can[flag] === undefined ? null : can[flag] ? 'yes' : 'no'}
                onChange={(value) => setCan({ ...can, [flag]: value === null ? null : value === 'yes' })}
              />
            ))}
            {lengths.map((field) => (
              <NumberInput
                key={field}
                label={t(`policies.can.${field}`)}
                min={1}
                value={can[field] ?? ''}
                onChange={(value) => setCan({ ...can, [field]: numberOr(value, null) })}
              />
            ))}
          </SimpleGrid>
          {save.error && <Problem error={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
