import {
  Accordion,
  Button,
  Group,
  NumberInput,
  Paper,
  Stack,
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
import { IndexBuildPanel } from '../rebuilding/IndexBuildPanel';
import { SplitFields } from '../splitting/SplitFields';
import { cleaned } from '../splitting/splitOptions';

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
      split: base.split_settings,
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
            split_settings: cleaned(values.split),
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
          <Accordion variant="separated">
            <Accordion.Item value="split">
              <Accordion.Control>{t('knowledge.splitting')}</Accordion.Control>
              <Accordion.Panel>
                <Text size="sm" c="dimmed" mb="sm">
                  {t('knowledge.splitHint')}
                </Text>
                <SplitFields
                  value={form.values.split}
                  onChange={(split) => form.setFieldValue('split', split)}
                />
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
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
      <IndexBuildPanel base={base} />
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
