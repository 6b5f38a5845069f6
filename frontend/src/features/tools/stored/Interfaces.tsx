/** The HTTP interfaces of the workspace, each with the operations that are tools. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconApi, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  listStoredToolsOptions,
  listToolInterfacesOptions,
} from '../../../api/generated/@tanstack/react-query.gen';
import type { StoredToolView, ToolInterfaceView } from '../../../api/generated/types.gen';
import { useCaller } from '../../../app/session';
import { EmptyState } from '../../../components/EmptyState';
import { Problem } from '../../../components/Problem';
import { Skeletons } from '../../../components/Skeletons';
import { TryTool } from '../TryTool';
import { InterfaceCard } from './InterfaceCard';
import { InterfaceForm } from './InterfaceForm';
import { NewInterface } from './NewInterface';
import { useRefreshStored } from './useRefreshStored';

export function Interfaces() {
  const { t } = useTranslation();
  const { mayManage } = useCaller();
  const refresh = useRefreshStored();
  const [adding, setAdding] = useState(false);
  const [editing, setEditing] = useState<ToolInterfaceView | null>(null);
  const [trying, setTrying] = useState<StoredToolView | null>(null);
  const interfaces = useQuery(listToolInterfacesOptions());
  const tools = useQuery(listStoredToolsOptions({ query: { kind: 'http' } }));
  const items = interfaces.data?.items ?? [];
  const add = mayManage && (
    <Button leftSection={<IconPlus size={17} />} onClick={() => setAdding(true)}>
      {t('storedTools.http.add')}
    </Button>
  );
  return (
    <Stack>
      {items.length > 0 && (
        <Group justify="space-between" align="flex-start">
          <Text size="sm" c="dimmed" maw={560}>
            {t('storedTools.http.text')}
          </Text>
          {add}
        </Group>
      )}
      {interfaces.isPending && <Skeletons rows={2} height={96} />}
      {interfaces.error && <Problem error={interfaces.error} onRetry={interfaces.refetch} />}
      {interfaces.isSuccess && items.length === 0 && (
        <div className="rd-card">
          <EmptyState
            icon={<IconApi size={28} />}
            title={t('storedTools.http.none')}
            text={mayManage ? t('storedTools.http.noneText') : t('storedTools.noneEditor')}
          >
            {add}
          </EmptyState>
        </div>
      )}
      {items.map((one) => (
        <InterfaceCard
          key={one.id}
          found={one}
          tools={(tools.data?.items ?? []).filter((tool) => tool.interface_id === one.id)}
          onTry={setTrying}
          onEdit={() => setEditing(one)}
          onChanged={refresh}
        />
      ))}
      <NewInterface opened={adding} onClose={() => setAdding(false)} onDone={refresh} />
      <InterfaceForm found={editing} onClose={() => setEditing(null)} onDone={refresh} />
      <TryTool
        tool={
          trying && {
            ...trying,
            id: `tool:${trying.id}`,
            title: trying.title || trying.name,
            readOnly: trying.read_only,
          }
        }
        opened={trying !== null}
        onClose={() => setTrying(null)}
      />
    </Stack>
  );
}
