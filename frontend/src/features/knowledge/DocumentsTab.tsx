/** The documents of a base: drop files anywhere, watch them become ready, act on many at once. */
import { Button, Group, Text } from '@mantine/core';
import { IconFileUpload, IconUpload } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listDocumentsQueryKey, listFoldersOptions } from '../../api/generated/@tanstack/react-query.gen';
import { deleteDocument, listDocuments, retryDocument } from '../../api/generated/sdk.gen';
import type { KnowledgeBaseView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { EmptyState } from '../../components/EmptyState';
import { LoadMore } from '../../components/LoadMore';
import { Problem } from '../../components/Problem';
import { SearchField, useSearchWords } from '../../components/SearchField';
import { Skeletons } from '../../components/Skeletons';
import { useHidden, useUndoableDelete } from '../../components/undo';
import { useCursorList } from '../../components/useCursorList';
import { useNotify } from '../../components/useNotify';
import { formatBytes } from '../../i18n/format';
import { AccessDialog, type Subject } from '../access/AccessDialog';
import { FolderBar } from '../access/FolderBar';
import { AddMenu } from './AddMenu';
import { BulkBar } from './BulkBar';
import { DocumentFilters } from './DocumentFilters';
import classes from './DocumentsTab.module.css';
import { DocumentTable } from './DocumentTable';
import { DraftsNotice } from './DraftsNotice';
import { noFilter, queryOf } from './documentFilter';
import { UploadList } from './UploadList';
import { useUploads } from './uploads';
import { useAddFiles } from './useAddFiles';
import { useFileDrop } from './useFileDrop';

export function DocumentsTab({ base }: { base: KnowledgeBaseView }) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const client = useQueryClient();
  const { failed } = useNotify();
  const hidden = useHidden();
  const removeWithUndo = useUndoableDelete();
  const uploads = useUploads(base.id).filter((upload) => upload.way === 'now');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { words, setWords, q } = useSearchWords();
  const [filter, setFilter] = useState(noFilter);
  const [folder, setFolder] = useState<string | null>(null);
  const [subject, setSubject] = useState<Subject | null>(null);
  const adding = useAddFiles(base.id, folder);
  const dropping = useFileDrop(mayWrite, adding.add);
  const path = { knowledge_base_id: base.id };
  const folders = useQuery(listFoldersOptions({ path })).data?.items ?? [];
  const query = { ...queryOf(filter, q), ...(folder ? { folder_id: folder } : {}) };
  const list = useCursorList(listDocumentsQueryKey({ path, query }), (cursor, signal) =>
    listDocuments({ path, query: { ...query, ...cursor }, signal, throwOnError: true }),
  );
  const documents = list.items.filter((one) => !hidden.has(one.id));
  // What a filter has taken out of sight is not acted on.
  const chosen = documents.filter((one) => selected.has(one.id));
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: [{ _id: listDocumentsQueryKey({ path })[0]._id }] }),
      client.invalidateQueries({ queryKey: listFoldersOptions({ path }).queryKey }),
    ]);
  const remove = (ids: string[]) => {
    const name = documents.find((one) => one.id === ids[0])?.name ?? '';
    removeWithUndo({
      ids,
      message:
        ids.length === 1
          ? t('knowledge.documentDeleted', { name })
          : t('knowledge.documentsDeleted', { count: ids.length }),
      remove: () =>
        Promise.all(ids.map((id) => deleteDocument({ path: { document_id: id }, throwOnError: true }))),
      onSettled: refresh,
    });
    setSelected(new Set());
  };
  const retry = async (ids: string[]) => {
    const results = await Promise.allSettled(
      ids.map((id) => retryDocument({ path: { document_id: id }, throwOnError: true })),
    );
    const broken = results.find((result) => result.status === 'rejected');
    if (broken) failed(broken.reason);
    setSelected(new Set());
    await refresh();
  };
  const isEmpty =
    list.isSuccess &&
    documents.length === 0 &&
    !q &&
    filter === noFilter &&
    uploads.length === 0 &&
    folders.length === 0;

  return (
    <div>
      {dropping && (
        <div className={classes.drop} aria-hidden>
          <div className={classes.dropCard}>
            <IconUpload size={36} stroke={1.5} />
            <Text fw={600}>{t('knowledge.dropHere', { name: base.name })}</Text>
          </div>
        </div>
      )}
      {adding.elements}
      {!isEmpty && (
        <Group mb="md" gap="sm">
          <SearchField
            className={classes.search}
            label={t('knowledge.findDocument')}
            words={words}
            onWords={setWords}
          />
          <DocumentFilters value={filter} onChange={setFilter} />
          {mayWrite && <AddMenu base={base} onPick={adding.pick} />}
        </Group>
      )}
      {!isEmpty && (
        <FolderBar
          baseId={base.id}
          folders={folders}
          current={folder}
          onOpen={(id) => {
            setFolder(id);
            setSelected(new Set());
          }}
          onAccess={setSubject}
          onChanged={refresh}
        />
      )}
      <AccessDialog subject={subject} onClose={() => setSubject(null)} onChanged={refresh} />
      <DraftsNotice baseId={base.id} />
      <UploadList uploads={uploads} />
      {chosen.length > 0 && (
        <BulkBar
          documents={chosen}
          folders={folders}
          onRemove={() => remove(chosen.map((one) => one.id))}
          onClear={() => setSelected(new Set())}
          onChanged={refresh}
        />
      )}
      {list.isPending && <Skeletons rows={6} />}
      {list.error && <Problem error={list.error} onRetry={list.refetch} />}
      {isEmpty && (
        <EmptyState
          icon={<IconFileUpload size={30} />}
          title={t('knowledge.noDocuments')}
          text={t('knowledge.noDocumentsText', { size: formatBytes(base.upload_limit_bytes) })}
        >
          {mayWrite && (
            <Button leftSection={<IconUpload size={17} />} onClick={adding.pick}>
              {t('knowledge.addFiles')}
            </Button>
          )}
        </EmptyState>
      )}
      {list.isSuccess && !isEmpty && documents.length === 0 && uploads.length === 0 && (
        <Text c="dimmed">{t('common.nothingFound')}</Text>
      )}
      {documents.length > 0 && (
        <DocumentTable
          documents={documents}
          selected={selected}
          onSelect={setSelected}
          onRemove={(id) => remove([id])}
          onRetry={(id) => retry([id])}
          onAccess={(one) => setSubject({ kind: 'document', id: one.id, name: one.name })}
        />
      )}
      <LoadMore list={list} />
    </div>
  );
}
