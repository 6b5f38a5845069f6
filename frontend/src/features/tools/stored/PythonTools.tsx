/** The Python tools of the workspace. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconCode, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listStoredToolsOptions } from '../../../api/generated/@tanstack/react-query.gen';
import { deleteStoredTool } from '../../../api/generated/sdk.gen';
import type { StoredToolView } from '../../../api/generated/types.gen';
import { useCaller } from '../../../app/session';
import { ConfirmDelete } from '../../../components/ConfirmDelete';
import { EmptyState } from '../../../components/EmptyState';
import { Problem } from '../../../components/Problem';
import { Skeletons } from '../../../components/Skeletons';
import classes from '../Tools.module.css';
import { TryTool } from '../TryTool';
import { PythonForm } from './PythonForm';
import { StoredRow } from './StoredRow';
import { useRefreshStored } from './useRefreshStored';

export function PythonTools() {
  const { t } = useTranslation();
  const { mayManage } = useCaller();
  const refresh = useRefreshStored();
  const [form, setForm] = useState<{ tool: StoredToolView | null; opened: boolean }>({
    tool: null,
    opened: false,
  });
  const [trying, setTrying] = useState<StoredToolView | null>(null);
  const [removing, setRemoving] = useState<StoredToolView | null>(null);
  const tools = useQuery(listStoredToolsOptions({ query: { kind: 'python' } }));
  const items = tools.data?.items ?? [];
  const add = mayManage && (
    <Button leftSection={<IconPlus size={17} />} onClick={() => setForm({ tool: null, opened: true })}>
      {t('storedTools.python.add')}
    </Button>
  );
  return (
    <Stack>
      {items.length > 0 && (
        <Group justify="space-between" align="flex-start">
          <Text size="sm" c="dimmed" maw={560}>
            {t('storedTools.python.text')}
          </Text>
          {add}
        </Group>
      )}
      {tools.isPending && <Skeletons rows={2} height={84} />}
      {tools.error && <Problem error={tools.error} onRetry={tools.refetch} />}
      {tools.isSuccess && items.length === 0 && (
        <div className="rd-card">
          <EmptyState
            icon={<IconCode size={28} />}
            title={t('storedTools.python.none')}
            text={mayManage ? t('storedTools.python.noneText') : t('storedTools.noneEditor')}
          >
            {add}
          </EmptyState>
        </div>
      )}
      {items.length > 0 && (
        <div className={`rd-card ${classes.card}`}>
          {items.map((tool) => (
            <StoredRow
              key={tool.id}
              tool={tool}
              onTry={() => setTrying(tool)}
              onChanged={refresh}
              onEdit={() => setForm({ tool, opened: true })}
              onRemove={() => setRemoving(tool)}
            />
          ))}
        </div>
      )}
      <PythonForm
        tool={form.tool}
        opened={form.opened}
        onClose={() => setForm({ ...form, opened: false })}
        onDone={refresh}
      />
      <TryTool
        tool={trying && { ...trying, id: `tool:${trying.id}`, readOnly: trying.read_only }}
        opened={trying !== null}
        onClose={() => setTrying(null)}
      />
      <ConfirmDelete
        opened={removing !== null}
        onClose={() => setRemoving(null)}
        name={removing?.name ?? ''}
        title={t('storedTools.remove')}
        loss={t('storedTools.python.removeLoss')}
        onConfirm={async () => {
          if (removing) await deleteStoredTool({ path: { tool_id: removing.id }, throwOnError: true });
          await refresh();
        }}
      />
    </Stack>
  );
}
