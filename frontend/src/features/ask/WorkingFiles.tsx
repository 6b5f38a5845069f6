/** The working directory of a conversation, where its application has one: files given and made. */
import { ActionIcon, Anchor, Button, FileButton, Group, Paper, Stack, Text } from '@mantine/core';
import { IconFolder, IconPlus, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import {
  getApplicationOptions,
  listWorkingFilesOptions,
  listWorkingFilesQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { deleteWorkingFile, putWorkingFile } from '../../api/generated/sdk.gen';
import { useNotify } from '../../components/useNotify';
import { formatBytes } from '../../i18n/format';

interface Props {
  conversationId: string;
  applicationId: string | null | undefined;
  /** Changes when a run ends: files may have changed with it. */
  turn: string;
}

export function WorkingFiles({ conversationId, applicationId, turn }: Props) {
  const { t } = useTranslation();
  const { failed } = useNotify();
  const client = useQueryClient();
  const forget = useRef<() => void>(null);
  const application = useQuery({
    ...getApplicationOptions({ path: { application_id: applicationId ?? '' } }),
    enabled: Boolean(applicationId),
  });
  const has =
    application.data?.settings.answering === 'agent' &&
    application.data.settings.agent?.working_directory === true;
  const path = { conversation_id: conversationId };
  const files = useQuery({ ...listWorkingFilesOptions({ path }), enabled: has });
  const refresh = () => client.invalidateQueries({ queryKey: listWorkingFilesQueryKey({ path }) });
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked anew at the end of every run
  useEffect(() => {
    if (has) refresh();
  }, [turn, has]);
  const put = useMutation({
    mutationFn: (file: File) =>
      putWorkingFile({ path, query: { path: file.name }, body: file, throwOnError: true }),
    onSuccess: refresh,
    onError: failed,
  });
  const remove = useMutation({
    mutationFn: (name: string) => deleteWorkingFile({ path, query: { path: name }, throwOnError: true }),
    onSuccess: refresh,
    onError: failed,
  });
  if (!has) return null;
  return (
    <Paper className="rd-card" p="sm" mb="md" component="section" aria-label={t('ask.files')}>
      <Group justify="space-between">
        <Group gap="xs">
          <IconFolder size={17} aria-hidden />
          <Text size="sm" fw={600}>
            {t('ask.files')}
          </Text>
        </Group>
        <FileButton
          resetRef={forget}
          onChange={(file) => {
            forget.current?.();
            if (file) put.mutate(file);
          }}
        >
          {(props) => (
            <Button
              {...props}
              size="compact-sm"
              variant="default"
              loading={put.isPending}
              leftSection={<IconPlus size={15} />}
            >
              {t('ask.addFile')}
            </Button>
          )}
        </FileButton>
      </Group>
      <Stack gap={2} mt={6}>
        {(files.data?.items ?? []).map((file) => (
          <Group key={file.path} gap="xs" justify="space-between" wrap="nowrap">
            <Anchor
              size="sm"
              href={`/api/v1/conversations/${conversationId}/files/content?path=${encodeURIComponent(file.path)}`}
              download={file.path.split('/').at(-1)}
            >
              {file.path}
            </Anchor>
            <Group gap={4} wrap="nowrap">
              <Text size="xs" c="dimmed">
                {formatBytes(file.size)}
              </Text>
              <ActionIcon
                size="sm"
                aria-label={t('ask.removeFile', { name: file.path })}
                onClick={() => remove.mutate(file.path)}
              >
                <IconTrash size={14} />
              </ActionIcon>
            </Group>
          </Group>
        ))}
        {files.data?.items.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('ask.noFiles')}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
