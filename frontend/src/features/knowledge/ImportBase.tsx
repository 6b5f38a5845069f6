import { Button } from '@mantine/core';
import { IconFileImport } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { listKnowledgeBasesQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import type { ImportView } from '../../api/generated/types.gen';
import { sendFile } from '../../api/upload';
import { useNotify } from '../../components/useNotify';

/** A base that was exported, here or elsewhere, as a new one. */
export function ImportBase() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { failed } = useNotify();
  const picker = useRef<HTMLInputElement>(null);
  const send = useMutation({
    mutationFn: (file: File) => sendFile<ImportView>('/api/v1/knowledge-base-imports', 'file', file),
    onSuccess: async (started) => {
      await client.invalidateQueries({ queryKey: [{ _id: listKnowledgeBasesQueryKey()[0]._id }] });
      await navigate({
        to: '/knowledge/$baseId',
        params: { baseId: started.knowledge_base_id },
        search: { imported: true },
      });
    },
    onError: failed,
  });
  return (
    <>
      <input
        ref={picker}
        type="file"
        hidden
        accept=".zip,application/zip"
        aria-label={t('knowledge.importBase')}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = '';
          if (file) send.mutate(file);
        }}
      />
      <Button
        variant="default"
        leftSection={<IconFileImport size={17} />}
        loading={send.isPending}
        onClick={() => picker.current?.click()}
      >
        {t('knowledge.importBase')}
      </Button>
    </>
  );
}
