import { Alert, Button, Group, Progress, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconFileImport, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import {
  getKnowledgeBaseImportOptions,
  getKnowledgeBaseQueryKey,
  listDocumentsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { deleteKnowledgeBase, retryKnowledgeBaseImport } from '../../api/generated/sdk.gen';
import type { ImportView } from '../../api/generated/types.gen';
import { ProblemError } from '../../api/problem';
import { useCaller } from '../../app/session';
import { ConfirmDelete } from '../../components/ConfirmDelete';
import { useNotify } from '../../components/useNotify';
import { useProblemWords } from '../../components/useProblemText';

const pollMs = 1500;
const isOver = (state: string | undefined) => state === 'finished' || state === 'failed';

/** How the import of a base stands; its documents appear below as they come. */
export function ImportNotice({ baseId }: { baseId: string }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const path = { knowledge_base_id: baseId };
  const { data } = useQuery({
    ...getKnowledgeBaseImportOptions({ path }),
    refetchInterval: ({ state }) => (isOver(state.data?.state) ? false : pollMs),
  });
  // What the page holds of the base may be from before the import's end, also where the first thing heard of
  // the import is that it is over.
  const state = data?.state;
  useEffect(() => {
    if (state === undefined) return;
    const path = { knowledge_base_id: baseId };
    client.invalidateQueries({ queryKey: getKnowledgeBaseQueryKey({ path }) });
    client.invalidateQueries({ queryKey: [{ _id: listDocumentsQueryKey({ path })[0]._id, path }] });
  }, [state, client, baseId]);
  if (!data) return null;
  if (data.state === 'failed') return <Failed data={data} />;
  const finished = data.state === 'finished';
  return (
    <Alert mb="md" icon={<IconFileImport size={18} />} role="status">
      {finished
        ? t('knowledge.importDone', { count: data.documents })
        : t('knowledge.importing', { name: data.name })}
      {finished && ` ${data.reused_vectors ? t('knowledge.vectorsKept') : t('knowledge.vectorsAnew')}`}
      {!finished && (
        <Progress
          mt="xs"
          size={6}
          value={data.documents > 0 ? (data.done / data.documents) * 100 : 0}
          aria-label={t('knowledge.importing', { name: data.name })}
        />
      )}
    </Alert>
  );
}

function Failed({ data }: { data: ImportView }) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const client = useQueryClient();
  const navigate = useNavigate();
  const wordsOf = useProblemWords();
  const { failed } = useNotify();
  const [removing, remove] = useDisclosure(false);
  const path = { knowledge_base_id: data.knowledge_base_id };
  const retry = useMutation({
    mutationFn: async () => (await retryKnowledgeBaseImport({ path, throwOnError: true })).data,
    onSuccess: (view) => client.setQueryData(getKnowledgeBaseImportOptions({ path }).queryKey, view),
    onError: failed,
  });
  const reason = data.error && wordsOf(new ProblemError(422, { ...data.error, detail: data.error.reason }));
  return (
    <Alert
      mb="md"
      color="red"
      role="alert"
      icon={<IconAlertTriangle size={18} />}
      title={t('knowledge.importFailed', { name: data.name })}
    >
      {reason && (
        <Text size="sm">
          {reason.message} {reason.hint}
        </Text>
      )}
      <Text size="sm">{t('knowledge.importFailedText', { done: data.done, count: data.documents })}</Text>
      {mayWrite && (
        <Group gap="xs" mt="sm">
          <Button
            size="xs"
            leftSection={<IconRefresh size={15} />}
            loading={retry.isPending}
            onClick={() => retry.mutate()}
          >
            {t('knowledge.importGoesOn')}
          </Button>
          <Button size="xs" variant="default" leftSection={<IconTrash size={15} />} onClick={remove.open}>
            {t('knowledge.importRemove')}
          </Button>
        </Group>
      )}
      <ConfirmDelete
        opened={removing}
        onClose={remove.close}
        name={data.name}
        title={t('knowledge.importRemove')}
        loss={t('sources.deleteLoss', { documents: t('knowledge.documentCount', { count: data.done }) })}
        onConfirm={async () => {
          await deleteKnowledgeBase({ path, throwOnError: true });
          await navigate({ to: '/knowledge' });
          client.invalidateQueries();
        }}
      />
    </Alert>
  );
}
