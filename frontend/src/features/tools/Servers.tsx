/** The tool servers of the workspace, with how they are; owners add them. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconBraces, IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  listToolServersOptions,
  listToolServersQueryKey,
  listToolsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import type { ToolServerView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { EmptyState } from '../../components/EmptyState';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { PasteForm } from './PasteForm';
import { ServerCard } from './ServerCard';
import { ServerForm } from './ServerForm';

export function Servers() {
  const { t } = useTranslation();
  const { mayManage } = useCaller();
  const client = useQueryClient();
  const [form, setForm] = useState<{ server: ToolServerView | null; opened: boolean }>({
    server: null,
    opened: false,
  });
  const [pasting, setPasting] = useState(false);
  const servers = useQuery(listToolServersOptions());
  const refresh = () =>
    Promise.all(
      [listToolServersQueryKey(), listToolsQueryKey()].map((key) =>
        client.invalidateQueries({ queryKey: [{ _id: key[0]._id }] }),
      ),
    );
  const items = servers.data?.items ?? [];
  const buttons = mayManage && (
    <Group gap="sm">
      <Button variant="default" leftSection={<IconBraces size={17} />} onClick={() => setPasting(true)}>
        {t('tools.servers.paste')}
      </Button>
      <Button leftSection={<IconPlus size={17} />} onClick={() => setForm({ server: null, opened: true })}>
        {t('tools.servers.add')}
      </Button>
    </Group>
  );
  return (
    <Stack>
      {items.length > 0 && (
        <Group justify="space-between" align="flex-start">
          <Text size="sm" c="dimmed" maw={560}>
            {t('tools.servers.text')}
          </Text>
          {buttons}
        </Group>
      )}
      {servers.isPending && <Skeletons rows={2} height={96} />}
      {servers.error && <Problem error={servers.error} onRetry={servers.refetch} />}
      {servers.isSuccess && items.length === 0 && (
        <div className="rd-card">
          <EmptyState
            icon={<IconPlugConnected size={28} />}
            title={t('tools.servers.none')}
            text={mayManage ? t('tools.servers.noneText') : t('tools.servers.noneViewer')}
          >
            {buttons}
          </EmptyState>
        </div>
      )}
      {items.map((server) => (
        <ServerCard
          key={server.id}
          server={server}
          onEdit={() => setForm({ server, opened: true })}
          onChanged={refresh}
        />
      ))}
      <ServerForm
        server={form.server}
        opened={form.opened}
        onClose={() => setForm({ ...form, opened: false })}
        onDone={refresh}
      />
      <PasteForm opened={pasting} onClose={() => setPasting(false)} onDone={refresh} />
    </Stack>
  );
}
