import { ActionIcon, Menu } from '@mantine/core';
import {
  IconCut,
  IconDots,
  IconEye,
  IconEyeOff,
  IconFileExport,
  IconRefresh,
  IconReplace,
  IconTrash,
} from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { withWorkspace } from '../../api/credentials';
import { getDocumentQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { deleteDocument, rereadDocument, updateDocument } from '../../api/generated/sdk.gen';
import type { DocumentView } from '../../api/generated/types.gen';
import { sendFile } from '../../api/upload';
import { useCaller } from '../../app/session';
import { useUndoableDelete } from '../../components/undo';
import { useNotify } from '../../components/useNotify';
import { acceptedKinds } from '../knowledge/kinds';
import { isWorking } from '../knowledge/StateChip';

/** What is done to a document as a whole. */
export function DocumentMenu({ document }: { document: DocumentView }) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const client = useQueryClient();
  const navigate = useNavigate({ from: '/documents/$documentId' });
  const { done, failed } = useNotify();
  const removeWithUndo = useUndoableDelete();
  const picker = useRef<HTMLInputElement>(null);
  const path = { document_id: document.id };
  const keep = (view: DocumentView) => client.setQueryData(getDocumentQueryKey({ path }), view);
  const replace = useMutation({
    mutationFn: (file: File) => sendFile<DocumentView>(`/api/v1/documents/${document.id}/file`, 'file', file),
    onSuccess: (view) => {
      keep(view);
      done(t('versions.replacing'));
    },
    onError: failed,
  });
  const reread = useMutation({
    mutationFn: async () => (await rereadDocument({ path, throwOnError: true })).data,
    onSuccess: (view) => {
      keep(view);
      done(t('versions.rereading'));
    },
    onError: failed,
  });
  const toggle = useMutation({
    mutationFn: async () =>
      (await updateDocument({ path, body: { is_active: !document.is_active }, throwOnError: true })).data,
    onMutate: () => keep({ ...document, is_active: !document.is_active }),
    onSuccess: keep,
    onError: (error) => {
      keep(document);
      failed(error);
    },
  });
  const remove = () => {
    removeWithUndo({
      ids: [document.id],
      message: t('knowledge.documentDeleted', { name: document.name }),
      remove: () => deleteDocument({ path, throwOnError: true }),
    });
    navigate({ to: '/knowledge/$baseId', params: { baseId: document.knowledge_base_id } });
  };
  return (
    <>
      <input
        ref={picker}
        type="file"
        hidden
        accept={acceptedKinds}
        aria-label={t('versions.replace')}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = '';
          if (file) replace.mutate(file);
        }}
      />
      <Menu position="bottom-end" width={250}>
        <Menu.Target>
          <ActionIcon
            size={36}
            variant="default"
            loading={replace.isPending || reread.isPending}
            aria-label={t('knowledge.documentActions', { name: document.name })}
          >
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayWrite && (
            <>
              <Menu.Item leftSection={<IconReplace size={15} />} onClick={() => picker.current?.click()}>
                {t('versions.replace')}
              </Menu.Item>
              {document.has_file && !isWorking(document.state) && (
                <Menu.Item leftSection={<IconRefresh size={15} />} onClick={() => reread.mutate()}>
                  {t('versions.reread')}
                </Menu.Item>
              )}
              {document.has_file && !isWorking(document.state) && (
                <Menu.Item
                  leftSection={<IconCut size={15} />}
                  onClick={() => navigate({ search: (known) => ({ ...known, panel: 'split' }) })}
                >
                  {t('splitting.splitAgain')}
                </Menu.Item>
              )}
              <Menu.Item
                leftSection={document.is_active ? <IconEyeOff size={15} /> : <IconEye size={15} />}
                onClick={() => toggle.mutate()}
              >
                {document.is_active ? t('document.deactivate') : t('document.activate')}
              </Menu.Item>
            </>
          )}
          {(['markdown', 'zip'] as const).map((form) => (
            <Menu.Item
              key={form}
              component="a"
              href={withWorkspace(`/api/v1/documents/${document.id}/export?format=${form}`)}
              download
              leftSection={<IconFileExport size={15} />}
            >
              {t(`details.exportAs.${form}`)}
            </Menu.Item>
          ))}
          {mayWrite && (
            <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={remove}>
              {t('common.delete')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
