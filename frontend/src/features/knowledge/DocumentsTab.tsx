/** The documents of a base: drop files anywhere, watch them become ready, act on many at once. */
import { Button, Group, Select, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconFileUpload, IconRefresh, IconSearch, IconTrash, IconUpload } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listDocumentsQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { deleteDocument, listDocuments, retryDocument } from '../../api/generated/sdk.gen';
import type { DocumentView, KnowledgeBaseView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { EmptyState } from '../../components/EmptyState';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { useHidden, useUndoableDelete } from '../../components/undo';
import { useNotify } from '../../components/useNotify';
import { formatBytes } from '../../i18n/format';
import classes from './DocumentsTab.module.css';
import { DocumentTable } from './DocumentTable';
import { acceptedKinds } from './kinds';
import { UploadList } from './UploadList';
import { startUploads, useUploads } from './uploads';
import { useFileDrop } from './useFileDrop';

const groups: Record<string, DocumentView['state'][]> = {
  working: ['queued', 'parsing', 'splitting', 'indexing'],
  ready: ['ready'],
  failed: ['failed', 'cancelled'],
};

export function DocumentsTab({ base }: { base: KnowledgeBaseView }) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const client = useQueryClient();
  const { failed } = useNotify();
  const hidden = useHidden();
  const removeWithUndo = useUndoableDelete();
  const uploads = useUploads(base.id);
  const picker = useRef<HTMLInputElement>(null);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [words, setWords] = useState('');
  const [group, setGroup] = useState('all');
  const [q] = useDebouncedValue(words.trim(), 250);
  const add = (files: readonly File[]) => startUploads(base.id, files, client);
  const dropping = useFileDrop(mayWrite, add);
  const query = { limit: 100, ...(q ? { q } : {}), ...(groups[group] ? { state: groups[group] } : {}) };
  const path = { knowledge_base_id: base.id };
  const list = useInfiniteQuery({
    queryKey: listDocumentsQueryKey({ path, query }),
    queryFn: async ({ pageParam, signal }) =>
      (
        await listDocuments({
          path,
          query: { ...query, ...(pageParam ? { cursor: pageParam } : {}) },
          signal,
          throwOnError: true,
        })
      ).data,
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  });
  const documents = (list.data?.pages ?? [])
    .flatMap((page) => page.items)
    .filter((one) => !hidden.has(one.id));
  const refresh = () =>
    client.invalidateQueries({ queryKey: [{ _id: listDocumentsQueryKey({ path })[0]._id }] });
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
  const retryable = documents.filter(
    (one) => selected.has(one.id) && (one.state === 'failed' || one.state === 'cancelled'),
  );
  const isEmpty = list.isSuccess && documents.length === 0 && !q && group === 'all' && uploads.length === 0;

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
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        accept={acceptedKinds}
        aria-label={t('knowledge.addFiles')}
        onChange={(event) => {
          add([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
      {!isEmpty && (
        <Group mb="md" gap="sm">
          <TextInput
            className={classes.search}
            leftSection={<IconSearch size={16} />}
            aria-label={t('knowledge.findDocument')}
            placeholder={t('knowledge.findDocument')}
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
          />
          <Select
            w={150}
            aria-label={t('knowledge.state')}
            value={group}
            onChange={(value) => setGroup(value ?? 'all')}
            data={[
              { value: 'all', label: t('knowledge.allStates') },
              { value: 'working', label: t('knowledge.working') },
              { value: 'ready', label: t('knowledge.states.ready') },
              { value: 'failed', label: t('knowledge.needAttention') },
            ]}
          />
          {mayWrite && (
            <Button
              ml="auto"
              leftSection={<IconFileUpload size={17} />}
              onClick={() => picker.current?.click()}
            >
              {t('knowledge.addFiles')}
            </Button>
          )}
        </Group>
      )}
      <UploadList uploads={uploads} />
      {selected.size > 0 && (
        <Group className={classes.bulk} role="toolbar" aria-label={t('knowledge.bulk')}>
          <Text size="sm" fw={600}>
            {t('knowledge.selected', { count: selected.size })}
          </Text>
          {retryable.length > 0 && (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconRefresh size={15} />}
              onClick={() => retry(retryable.map((one) => one.id))}
            >
              {t('common.retry')}
            </Button>
          )}
          <Button
            size="compact-sm"
            color="red"
            variant="light"
            leftSection={<IconTrash size={15} />}
            onClick={() => remove([...selected])}
          >
            {t('common.delete')}
          </Button>
          <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setSelected(new Set())}>
            {t('common.clear')}
          </Button>
        </Group>
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
            <Button leftSection={<IconUpload size={17} />} onClick={() => picker.current?.click()}>
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
        />
      )}
      {list.hasNextPage && (
        <Button
          mt="md"
          variant="default"
          fullWidth
          loading={list.isFetchingNextPage}
          onClick={() => list.fetchNextPage()}
        >
          {t('common.loadMore')}
        </Button>
      )}
    </div>
  );
}
