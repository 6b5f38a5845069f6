/** The versions of a document, newest first: read one, compare two, bring one back, take its file. */
import { ActionIcon, Badge, Group, Menu, Stack, Text } from '@mantine/core';
import { IconDots, IconDownload, IconGitCompare, IconHistory, IconRestore } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { withWorkspace } from '../../api/credentials';
import {
  getDocumentQueryKey,
  listDocumentVersionsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { listDocumentVersions, restoreDocumentVersion } from '../../api/generated/sdk.gen';
import type { DocumentView, VersionView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { Facts } from '../../components/Facts';
import { LoadMore } from '../../components/LoadMore';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { useCursorList } from '../../components/useCursorList';
import { useNotify } from '../../components/useNotify';
import { formatBytes, formatDateTime } from '../../i18n/format';
import classes from './VersionsPanel.module.css';

export function VersionsPanel({ document, onClose }: { document: DocumentView; onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { done, failed } = useNotify();
  const path = { document_id: document.id };
  const queryKey = listDocumentVersionsQueryKey({ path, query: { limit: 30 } });
  const versions = useCursorList([...queryKey, document.version], (cursor, signal) =>
    listDocumentVersions({ path, query: { limit: 30, ...cursor }, signal, throwOnError: true }),
  );
  const restore = useMutation({
    mutationFn: async (number: number) =>
      (await restoreDocumentVersion({ path: { ...path, number }, throwOnError: true })).data,
    onSuccess: (view) => {
      client.setQueryData(getDocumentQueryKey({ path }), view);
      done(t('versions.restoring'));
      onClose();
    },
    onError: failed,
  });
  if (versions.isPending) return <Skeletons rows={4} height={64} />;
  if (versions.error) return <Problem error={versions.error} onRetry={versions.refetch} />;
  const { items } = versions;
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t('versions.text')}
      </Text>
      <ol className={classes.list}>
        {items.map((version) => (
          <Version
            key={version.number}
            version={version}
            document={document}
            restoring={restore.isPending && restore.variables === version.number}
            onRestore={() => restore.mutate(version.number)}
          />
        ))}
      </ol>
      <LoadMore list={versions} />
    </Stack>
  );
}

interface VersionProps {
  version: VersionView;
  document: DocumentView;
  restoring: boolean;
  onRestore: () => void;
}

function Version({ version, document, restoring, onRestore }: VersionProps) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const navigate = useNavigate({ from: '/documents/$documentId' });
  const { number } = version;
  return (
    <li className={classes.version} data-current={version.is_current || undefined}>
      <div className={classes.words}>
        <Group gap={8}>
          <Text fw={600} size="sm">
            {t('versions.number', { version: number })}
          </Text>
          {version.is_current && <Badge>{t('versions.current')}</Badge>}
        </Group>
        <Text size="sm">{t(`versions.reasons.${version.reason}`)}</Text>
        <Text size="xs" c="dimmed">
          <Facts
            items={[
              formatDateTime(version.created_at),
              t('knowledge.paragraphCount', { count: version.paragraph_count }),
              version.file_bytes !== null && formatBytes(version.file_bytes),
            ]}
          />
        </Text>
      </div>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <ActionIcon loading={restoring} aria-label={t('versions.actions', { version: number })}>
            <IconDots size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!version.is_current && (
            <>
              <Menu.Item
                leftSection={<IconHistory size={15} />}
                onClick={() => navigate({ search: { version: number } })}
              >
                {t('versions.read')}
              </Menu.Item>
              <Menu.Item
                leftSection={<IconGitCompare size={15} />}
                onClick={() => navigate({ search: { from: number, to: document.version } })}
              >
                {t('versions.compare')}
              </Menu.Item>
              {mayWrite && (
                <Menu.Item leftSection={<IconRestore size={15} />} onClick={onRestore}>
                  {t('versions.restore')}
                </Menu.Item>
              )}
            </>
          )}
          {version.has_file && (
            <Menu.Item
              component="a"
              download
              href={withWorkspace(`/api/v1/documents/${document.id}/versions/${number}/file`)}
              leftSection={<IconDownload size={15} />}
            >
              {t('versions.file')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </li>
  );
}
