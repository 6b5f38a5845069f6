/** The intents of an application: the tree, the node that is being edited, and a box to try questions in. */
import { Anchor, Breadcrumbs, Button, Grid, Group, Paper } from '@mantine/core';
import { IconPlus, IconTargetArrow } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  getApplicationOptions,
  listIntentsOptions,
  listIntentsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { createIntent, deleteIntent, moveIntent, restoreIntent } from '../../api/generated/sdk.gen';
import type { IntentMove, IntentOut } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { EmptyState } from '../../components/EmptyState';
import { Page } from '../../components/Page';
import { PageHeader } from '../../components/PageHeader';
import { PageProblem } from '../../components/PageProblem';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { useNotify } from '../../components/useNotify';
import { IntentEditor } from './IntentEditor';
import { IntentFiles } from './IntentFiles';
import { IntentTreeList } from './IntentTreeList';
import { freeCode } from './intentTree';
import { TryIntents } from './TryIntents';
import { useUndoNotice } from './useUndoNotice';

export default function IntentsPage() {
  const { t } = useTranslation();
  const { applicationId } = useParams({ from: '/house/applications/$applicationId/intents' });
  const path = { application_id: applicationId };
  const client = useQueryClient();
  const { mayWrite } = useCaller();
  const { failed } = useNotify();
  const undoNotice = useUndoNotice();
  const application = useQuery(getApplicationOptions({ path }));
  const intents = useQuery(listIntentsOptions({ path }));
  const [chosen, setChosen] = useState<string | null>(null);
  const items = intents.data?.items ?? [];
  const node = items.find((one) => one.id === chosen) ?? null;
  const refresh = () => client.invalidateQueries({ queryKey: listIntentsQueryKey({ path }) });

  const add = useMutation({
    mutationFn: async (parent: IntentOut | null) =>
      (
        await createIntent({
          path,
          body: { code: freeCode(items), name: t('intents.newName'), parent_id: parent?.id ?? null },
          throwOnError: true,
        })
      ).data,
    onSuccess: async (made) => {
      await refresh();
      setChosen(made.id);
    },
    onError: failed,
  });
  const move = useMutation({
    mutationFn: ({ id, to }: { id: string; to: IntentMove }) =>
      moveIntent({ path: { ...path, intent_id: id }, body: to, throwOnError: true }),
    onSuccess: refresh,
    onError: failed,
  });
  const remove = useMutation({
    mutationFn: (gone: IntentOut) =>
      deleteIntent({ path: { ...path, intent_id: gone.id }, throwOnError: true }),
    onSuccess: async (_, gone) => {
      setChosen(gone.parent_id);
      await refresh();
      undoNotice(t('intents.deleted', { name: gone.name }), async () => {
        await restoreIntent({ path: { ...path, intent_id: gone.id }, throwOnError: true });
        await refresh();
        setChosen(gone.id);
      });
    },
    onError: failed,
  });

  if (application.error) {
    return (
      <Page>
        <PageProblem error={application.error} room="applications" onRetry={application.refetch} />
      </Page>
    );
  }
  return (
    <Page>
      <PageHeader
        above={
          <Breadcrumbs mb={6} separator="›">
            <Anchor component={Link} to="/applications" size="sm">
              {t('shell.applications')}
            </Anchor>
            <Anchor
              component={Link}
              to="/applications/$applicationId"
              params={{ applicationId } as never}
              size="sm"
            >
              {application.data?.name ?? '…'}
            </Anchor>
          </Breadcrumbs>
        }
        title={t('intents.title')}
        text={t('intents.text')}
      >
        {mayWrite && (
          <Group gap="sm">
            <IntentFiles applicationId={applicationId} onImported={refresh} />
            <Button
              leftSection={<IconPlus size={17} aria-hidden />}
              loading={add.isPending}
              onClick={() => add.mutate(null)}
            >
              {t('intents.addDomain')}
            </Button>
          </Group>
        )}
      </PageHeader>
      {intents.isPending && <Skeletons rows={6} height={36} />}
      {intents.error && <Problem error={intents.error} onRetry={intents.refetch} />}
      {intents.data && items.length === 0 && (
        <EmptyState
          icon={<IconTargetArrow size={28} />}
          title={t('intents.empty')}
          text={t('intents.emptyText')}
        />
      )}
      {items.length > 0 && (
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 5 }}>
            <Paper className="rd-card" p="sm">
              <IntentTreeList
                items={items}
                chosen={node?.id ?? null}
                mayWrite={mayWrite}
                onChoose={setChosen}
                onMove={(id, to) => move.mutate({ id, to })}
                onAdd={add.mutate}
                onDelete={remove.mutate}
              />
            </Paper>
            <TryIntents
              applicationId={applicationId}
              version={intents.data?.version ?? 0}
              onChoose={setChosen}
            />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 7 }}>
            {node && (
              <IntentEditor
                key={node.id}
                applicationId={applicationId}
                node={node}
                mayWrite={mayWrite}
                onSaved={refresh}
              />
            )}
          </Grid.Col>
        </Grid>
      )}
    </Page>
  );
}
