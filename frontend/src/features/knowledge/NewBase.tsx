import { Button, Group, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { listKnowledgeBasesQueryKey, listModelsOptions } from '../../api/generated/@tanstack/react-query.gen';
import { createKnowledgeBase } from '../../api/generated/sdk.gen';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';

export function NewBase({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog opened={opened} onClose={onClose} title={t('knowledge.newBase')}>
      <NewBaseForm onClose={onClose} />
    </Dialog>
  );
}

function NewBaseForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const models = useQuery(listModelsOptions({ query: { kind: 'EMBEDDING' } }));
  const form = useForm({
    initialValues: { name: '', description: '', embedding_model_id: null as string | null },
    validate: { name: (value) => (value.trim() ? null : t('setup.needed')) },
  });
  const create = useMutation({
    mutationFn: async (values: typeof form.values) =>
      (await createKnowledgeBase({ body: { ...values, name: values.name.trim() }, throwOnError: true })).data,
    onSuccess: async (base) => {
      await client.invalidateQueries({ queryKey: [{ _id: listKnowledgeBasesQueryKey()[0]._id }] });
      onClose();
      await navigate({ to: '/knowledge/$baseId', params: { baseId: base.id } });
    },
  });
  const choices = models.data?.items ?? [];
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack>
        <TextInput label={t('common.name')} maxLength={200} data-autofocus {...form.getInputProps('name')} />
        <Textarea
          label={t('common.description')}
          description={t('knowledge.descriptionHint')}
          autosize
          minRows={2}
          {...form.getInputProps('description')}
        />
        {choices.length > 1 && (
          <Select
            label={t('knowledge.embeddingModel')}
            description={t('knowledge.embeddingHint')}
            placeholder={choices.find((model) => model.is_default)?.name}
            data={choices.map((model) => ({ value: model.id, label: model.name }))}
            {...form.getInputProps('embedding_model_id')}
          />
        )}
        {create.error && <Problem error={create.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {t('knowledge.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
