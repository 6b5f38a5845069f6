import {
  Button,
  Group,
  NumberInput,
  Paper,
  Select,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import {
  getKnowledgeBaseQueryKey,
  listKnowledgeBasesQueryKey,
  listModelsOptions,
} from '../../api/generated/@tanstack/react-query.gen';
import { deleteKnowledgeBase, updateKnowledgeBase } from '../../api/generated/sdk.gen';
import type { KnowledgeBaseView } from '../../api/generated/types.gen';
import { ConfirmDelete } from '../../components/ConfirmDelete';
import { Problem } from '../../components/Problem';
import { useNotify } from '../../components/useNotify';

const profiles = ['standard', 'compact', 'structured'] as const;

export function BaseSettings({ base }: { base: KnowledgeBaseView }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { done } = useNotify();
  const models = useQuery(listModelsOptions({ query: { kind: 'EMBEDDING' } }));
  const path = { knowledge_base_id: base.id };
  const form = useForm({
    initialValues: {
      name: base.name,
      description: base.description,
      profile: base.split_settings.profile ?? 'standard',
      limit: base.split_settings.limit ?? ('' as number | ''),
      with_filter: base.split_settings.with_filter ?? true,
      max_documents: base.max_documents ?? ('' as number | ''),
    },
    validate: { name: (value) => (value.trim() ? null : t('setup.needed')) },
  });
  const save = useMutation({
    mutationFn: async (values: typeof form.values) =>
      (
        await updateKnowledgeBase({
          path,
          body: {
            name: values.name.trim(),
            description: values.description,
            max_documents: values.max_documents === '' ? null : values.max_documents,
            split_settings: {
              ...base.split_settings,
              profile: values.profile,
              limit: values.limit === '' ? null : values.limit,
              with_filter: values.with_filter,
            },
          },
          throwOnError: true,
        })
      ).data,
    onSuccess: (saved) => {
      client.setQueryData(getKnowledgeBaseQueryKey({ path }), saved);
      client.invalidateQueries({ queryKey: [{ _id: listKnowledgeBasesQueryKey()[0]._id }] });
      form.resetDirty();
      done(t('common.saved'));
    },
  });
  const model = models.data?.items.find((one) => one.id === base.embedding_model_id);
  return (
    <Stack maw={680} gap="lg">
      <Paper
        component="form"
        className="rd-card"
        p="lg"
        onSubmit={form.onSubmit((values) => save.mutate(values))}
      >
        <Stack>
          <TextInput label={t('common.name')} maxLength={200} {...form.getInputProps('name')} />
          <Textarea
            label={t('common.description')}
            autosize
            minRows={2}
            {...form.getInputProps('description')}
          />
          <TextInput
            label={t('knowledge.embeddingModel')}
            description={t('knowledge.embeddingFixed')}
            value={model?.name ?? '…'}
            readOnly
          />
          <Select
            label={t('knowledge.profile')}
            description={t('knowledge.splitHint')}
            data={profiles.map((value) => ({ value, label: t(`knowledge.profiles.${value}`) }))}
            {...form.getInputProps('profile')}
          />
          <NumberInput
            label={t('knowledge.limit')}
            description={t('knowledge.limitHint')}
            min={50}
            max={100_000}
            allowDecimal={false}
            {...form.getInputProps('limit')}
          />
          <Switch
            label={t('knowledge.withFilter')}
            {...form.getInputProps('with_filter', { type: 'checkbox' })}
          />
          <NumberInput
            label={t('knowledge.maxDocuments')}
            description={t('knowledge.maxDocumentsHint')}
            min={1}
            allowDecimal={false}
            {...form.getInputProps('max_documents')}
          />
          {save.error && <Problem error={save.error} />}
          <Group justify="flex-end">
            <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </Paper>
      <Removal base={base} />
    </Stack>
  );
}

function Removal({ base }: { base: KnowledgeBaseView }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asking, ask] = useDisclosure(false);
  const remove = async () => {
    await deleteKnowledgeBase({ path: { knowledge_base_id: base.id }, throwOnError: true });
    await navigate({ to: '/knowledge' });
    await client.invalidateQueries({ queryKey: [{ _id: listKnowledgeBasesQueryKey()[0]._id }] });
  };
  return (
    <Paper className="rd-card" p="lg">
      <Title order={2} size="h5" mb={4}>
        {t('knowledge.deleteBase')}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {t('knowledge.deleteBaseText')}
      </Text>
      <Button color="red" variant="light" onClick={ask.open}>
        {t('knowledge.deleteBase')}
      </Button>
      <ConfirmDelete
        opened={asking}
        onClose={ask.close}
        name={base.name}
        title={t('knowledge.deleteBase')}
        loss={t('knowledge.deleteLoss', {
          documents: t('knowledge.documentCount', { count: base.counts.documents }),
          paragraphs: t('knowledge.paragraphCount', { count: base.counts.paragraphs }),
        })}
        onConfirm={remove}
      />
    </Paper>
  );
}
