/** Files before they are imported: what was read from each, how it is cut, and the chance to put it right. */
import { Alert, Anchor, Breadcrumbs, Button, Group, Skeleton, Text } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconFileImport, IconInfoCircle, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { everyPage } from '../../api/everyPage';
import {
  getKnowledgeBaseOptions,
  getKnowledgeBaseQueryKey,
  listDocumentsQueryKey,
  listDraftsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { deleteDocument, importDrafts, listDrafts } from '../../api/generated/sdk.gen';
import type { DocumentView, KnowledgeBaseView } from '../../api/generated/types.gen';
import { SideSheet } from '../../components/Dialog';
import { EmptyState } from '../../components/EmptyState';
import { PageHeader } from '../../components/PageHeader';
import { PageProblem } from '../../components/PageProblem';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { settleDeletions, useHidden, useUndoableDelete } from '../../components/undo';
import { useNotify } from '../../components/useNotify';
import { isWorking } from '../knowledge/StateChip';
import { UploadList } from '../knowledge/UploadList';
import { useUploads } from '../knowledge/uploads';
import { DraftList } from './DraftList';
import { DraftSettings } from './DraftSettings';
import { DraftView } from './DraftView';
import classes from './PreviewPage.module.css';

/** Drafts change while they are read; no event tells of them. */
const workingPollMs = 1200;
/** What the server gives at once; a base may hold more. */
const pageSize = 200;

export default function PreviewPage() {
  const { t } = useTranslation();
  const { baseId } = useParams({ from: '/house/knowledge/$baseId/preview' });
  const base = useQuery(getKnowledgeBaseOptions({ path: { knowledge_base_id: baseId } }));
  if (base.error) {
    return (
      <div className={classes.page}>
        <PageProblem error={base.error} room="knowledge" onRetry={base.refetch} />
      </div>
    );
  }
  if (!base.data) {
    return (
      <div className={classes.page} role="status" aria-label={t('common.loading')}>
        <Skeleton height={36} width={320} mb="lg" />
        <Skeleton height={480} radius="lg" />
      </div>
    );
  }
  return <Preview key={baseId} base={base.data} />;
}

function Preview({ base }: { base: KnowledgeBaseView }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate({ from: '/knowledge/$baseId/preview' });
  const { document: wanted } = useSearch({ from: '/house/knowledge/$baseId/preview' });
  const { done, failed } = useNotify();
  const hidden = useHidden();
  const removeWithUndo = useUndoableDelete();
  const wide = useMediaQuery('(min-width: 75em)', false, { getInitialValueInEffect: false });
  const [settingsOpen, settings] = useDisclosure(false);
  const uploads = useUploads(base.id).filter((upload) => upload.way === 'preview');
  const path = { knowledge_base_id: base.id };
  const drafts = useQuery({
    queryKey: [...listDraftsQueryKey({ path, query: { limit: pageSize } }), 'all'],
    queryFn: ({ signal }) =>
      everyPage((cursor) =>
        listDrafts({ path, query: { limit: pageSize, ...cursor }, signal, throwOnError: true }),
      ),
    refetchInterval: (query) =>
      query.state.data?.some((draft) => isWorking(draft.state)) ? workingPollMs : false,
  });
  const items = (drafts.data ?? []).filter((draft) => !hidden.has(draft.id));
  const open = items.find((draft) => draft.id === wanted) ?? items[0];
  const importable = items.filter((draft) => draft.state === 'draft');
  const refresh = () =>
    client.invalidateQueries({ queryKey: [{ _id: listDraftsQueryKey({ path })[0]._id }] });

  const bring = useMutation({
    mutationFn: async (ids: string[]) => {
      // What was deleted a moment ago must not come in with the rest.
      await settleDeletions();
      return importDrafts({ path, body: { document_ids: ids }, throwOnError: true });
    },
    onSuccess: async (_result, ids) => {
      done(t('preview.imported', { count: ids.length }));
      await refresh();
      await Promise.all([
        client.invalidateQueries({ queryKey: [{ _id: listDocumentsQueryKey({ path })[0]._id }] }),
        client.invalidateQueries({ queryKey: getKnowledgeBaseQueryKey({ path }) }),
      ]);
      if (ids.length === items.length)
        await navigate({ to: '/knowledge/$baseId', params: { baseId: base.id } });
    },
    onError: failed,
  });
  const discard = (some: DocumentView[]) => {
    const ids = some.map((draft) => draft.id);
    removeWithUndo({
      ids,
      message: t('preview.discarded', { count: ids.length }),
      remove: () =>
        Promise.all(ids.map((id) => deleteDocument({ path: { document_id: id }, throwOnError: true }))),
      onSettled: refresh,
    });
  };

  const settingsOf = (draft: DocumentView) => (
    <DraftSettings
      key={draft.id}
      draft={draft}
      onApplied={() => {
        settings.close();
        return refresh();
      }}
    />
  );
  return (
    <div className={classes.page}>
      <PageHeader
        above={
          <Breadcrumbs mb={6} separator="›">
            <Anchor component={Link} to="/knowledge" size="sm">
              {t('shell.knowledge')}
            </Anchor>
            <Anchor component={Link} to="/knowledge/$baseId" params={{ baseId: base.id } as never} size="sm">
              {base.name}
            </Anchor>
          </Breadcrumbs>
        }
        title={t('preview.title')}
        text={t('preview.text')}
      >
        {items.length > 0 && (
          <>
            <Button variant="default" leftSection={<IconTrash size={17} />} onClick={() => discard(items)}>
              {t('preview.discardAll')}
            </Button>
            <Button
              leftSection={<IconFileImport size={17} />}
              loading={bring.isPending}
              disabled={importable.length === 0}
              onClick={() => bring.mutate(importable.map((draft) => draft.id))}
            >
              {importable.length === 0
                ? t('preview.nothingToImport')
                : t('preview.importAll', { count: importable.length })}
            </Button>
          </>
        )}
      </PageHeader>
      <UploadList uploads={uploads} />
      {drafts.isPending && <Skeletons rows={5} />}
      {drafts.error && <Problem error={drafts.error} onRetry={drafts.refetch} />}
      {drafts.isSuccess && items.length === 0 && uploads.length === 0 && (
        <EmptyState
          icon={<IconFileImport size={30} />}
          title={t('preview.none')}
          text={t('preview.noneText')}
        >
          <Button component={Link} to="/knowledge/$baseId" params={{ baseId: base.id } as never}>
            {t('preview.toBase')}
          </Button>
        </EmptyState>
      )}
      {open && (
        <div className={classes.body}>
          <div className={classes.side}>
            <DraftList
              drafts={items}
              open={open.id}
              onOpen={(id) => navigate({ search: { document: id }, replace: true, resetScroll: false })}
            />
            {wide && (
              <aside className={`rd-card ${classes.settings}`} aria-label={t('preview.settings')}>
                {settingsOf(open)}
              </aside>
            )}
          </div>
          <div className={classes.draft}>
            <Group justify="space-between" mb="sm">
              <Text component="h2" fw={600} fz="lg" m={0} className={classes.name}>
                {open.name}
              </Text>
              <Group gap="xs">
                <Button size="xs" variant="default" onClick={() => discard([open])}>
                  {t('preview.discard')}
                </Button>
                <Button
                  size="xs"
                  variant="light"
                  disabled={open.state !== 'draft' || bring.isPending}
                  onClick={() => bring.mutate([open.id])}
                >
                  {t('preview.importOne')}
                </Button>
              </Group>
            </Group>
            <DraftView key={open.id} draft={open} onSettings={wide ? null : settings.open} />
          </div>
        </div>
      )}
      {open && !wide && (
        <SideSheet opened={settingsOpen} onClose={settings.close} title={t('preview.settings')}>
          {settingsOf(open)}
        </SideSheet>
      )}
      {items.length > 0 && (
        <Alert mt="xl" variant="transparent" p={0} icon={<IconInfoCircle size={16} />}>
          <Text size="sm" c="dimmed">
            {t('paragraphs.keys')}
          </Text>
        </Alert>
      )}
    </div>
  );
}
