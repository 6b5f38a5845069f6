/** Questions and answers from a table: a row is a paragraph with the questions it answers. */
import { Anchor, Button, Code, FileInput, Group, List, Stack, Text } from '@mantine/core';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listDocumentsQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import type { KnowledgeBaseView, UploadResult } from '../../api/generated/types.gen';
import { ProblemError } from '../../api/problem';
import { sendFile } from '../../api/upload';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { useNotify } from '../../components/useNotify';

interface Props {
  base: KnowledgeBaseView;
  opened: boolean;
  onClose: () => void;
}

const templates = [
  ['zh', 'xlsx'],
  ['zh', 'csv'],
  ['en', 'xlsx'],
  ['en', 'csv'],
] as const;

export function QaImport({ base, opened, onClose }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { done } = useNotify();
  const [file, setFile] = useState<File | null>(null);
  const path = { knowledge_base_id: base.id };
  const send = useMutation({
    mutationFn: async (chosen: File) => {
      const result = await sendFile<UploadResult>(
        `/api/v1/knowledge-bases/${base.id}/qa-files`,
        'files',
        chosen,
      );
      const refusal = result.files.find((outcome) => outcome.error)?.error;
      if (refusal) throw new ProblemError(422, { ...refusal, detail: refusal.message });
      return result;
    },
    onSuccess: (result) => {
      done(t('qa.imported', { count: result.accepted }));
      close();
    },
    onSettled: () =>
      client.invalidateQueries({ queryKey: [{ _id: listDocumentsQueryKey({ path })[0]._id, path }] }),
  });
  const close = () => {
    setFile(null);
    send.reset();
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={close} title={t('qa.title')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (file) send.mutate(file);
        }}
      >
        <Stack>
          <Text size="sm">{t('qa.text')}</Text>
          <List size="sm" spacing={4}>
            {(['title', 'content', 'questions'] as const).map((column) => (
              <List.Item key={column}>
                <Code>{column}</Code> {t(`qa.columns.${column}`)}
              </List.Item>
            ))}
          </List>
          <Group gap="md">
            {templates.map(([language, kind]) => (
              <Anchor
                key={`${language}.${kind}`}
                size="sm"
                underline="always"
                download
                href={`/api/v1/qa-templates/${language}.${kind}`}
              >
                {t(`qa.templates.${language}`, { kind: kind.toUpperCase() })}
              </Anchor>
            ))}
          </Group>
          <FileInput
            label={t('qa.file')}
            placeholder={t('qa.choose')}
            leftSection={<IconFileSpreadsheet size={17} />}
            accept=".csv,.xlsx,.zip"
            clearable
            value={file}
            onChange={setFile}
          />
          {send.error && <Problem error={send.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={send.isPending} disabled={!file}>
              {t('qa.import')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
