/** Where documents come from by themselves: web sites that are read again, folders a command sends. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFolderSymlink, IconPlus, IconWorld } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import {
  listDocumentsQueryKey,
  listSourcesOptions,
  listSourcesQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import type { KnowledgeBaseView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { EmptyState } from '../../components/EmptyState';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { useHidden } from '../../components/undo';
import { FolderHelp } from './FolderHelp';
import { SourceCard } from './SourceCard';
import { WebsiteForm } from './WebsiteForm';

const runningPollMs = 1500;

export function SourcesTab({ base }: { base: KnowledgeBaseView }) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const client = useQueryClient();
  const hidden = useHidden();
  const [adding, add] = useDisclosure(false);
  const [folderOpen, folder] = useDisclosure(false);
  const path = { knowledge_base_id: base.id };
  const sources = useQuery({
    ...listSourcesOptions({ path, query: { limit: 200 } }),
    refetchInterval: (query) =>
      query.state.data?.items.some(({ state }) => state === 'queued' || state === 'running')
        ? runningPollMs
        : false,
  });
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: [{ _id: listSourcesQueryKey({ path })[0]._id, path }] }),
      client.invalidateQueries({ queryKey: [{ _id: listDocumentsQueryKey({ path })[0]._id, path }] }),
    ]);
  const items = (sources.data?.items ?? []).filter((source) => !hidden.has(source.id));
  const buttons = mayWrite && (
    <>
      <Button leftSection={<IconPlus size={17} />} onClick={add.open}>
        {t('sources.addWebsite')}
      </Button>
      <Button variant="default" leftSection={<IconFolderSymlink size={17} />} onClick={folder.open}>
        {t('sources.aFolder')}
      </Button>
    </>
  );
  return (
    <Stack>
      {sources.isPending && <Skeletons rows={3} height={96} />}
      {sources.error && <Problem error={sources.error} onRetry={sources.refetch} />}
      {sources.isSuccess && items.length === 0 && (
        <EmptyState icon={<IconWorld size={30} />} title={t('sources.none')} text={t('sources.noneText')}>
          <Group justify="center">{buttons}</Group>
        </EmptyState>
      )}
      {items.length > 0 && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {t('sources.text')}
          </Text>
          <Group gap="sm">{buttons}</Group>
        </Group>
      )}
      {items.map((source) => (
        <SourceCard key={source.id} source={source} mayWrite={mayWrite} onChanged={refresh} />
      ))}
      <WebsiteForm base={base} opened={adding} onClose={add.close} onDone={refresh} />
      <FolderHelp base={base} opened={folderOpen} onClose={folder.close} onDone={refresh} />
    </Stack>
  );
}
