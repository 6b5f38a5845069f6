import { Button, Group, Table, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listWorkspacesOptions, listWorkspacesQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { createWorkspace, updateWorkspace } from '../../api/generated/sdk.gen';
import type { WorkspaceView } from '../../api/generated/types.gen';
import { sessionKey } from '../../app/session';
import { useProblemWords } from '../../components/useProblemText';
import { formatDate } from '../../i18n/format';
import { AddByName } from './AddByName';
import { SettingsTable } from './SettingsTable';

/** For administrators: the workspaces of this installation. */
export function Workspaces() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const workspaces = useQuery(listWorkspacesOptions());
  const refresh = async () => {
    await client.invalidateQueries({ queryKey: [{ _id: listWorkspacesQueryKey()[0]._id }] });
    await client.invalidateQueries({ queryKey: sessionKey });
  };
  const create = async (name: string) => {
    await createWorkspace({ body: { name }, throwOnError: true });
    await refresh();
  };
  return (
    <SettingsTable
      title={t('settings.sections.workspaces')}
      text={t('settings.workspacesText')}
      listing={workspaces}
      action={
        <AddByName label={t('settings.workspaceName')} action={t('settings.addWorkspace')} onAdd={create} />
      }
    >
      <Table verticalSpacing="sm">
        <Table.Tbody>
          {(workspaces.data?.items ?? []).map((workspace) => (
            <Row key={workspace.id} workspace={workspace} onChanged={refresh} />
          ))}
        </Table.Tbody>
      </Table>
    </SettingsTable>
  );
}

function Row({ workspace, onChanged }: { workspace: WorkspaceView; onChanged: () => unknown }) {
  const { t } = useTranslation();
  const wordsOf = useProblemWords();
  const [name, setName] = useState(workspace.name);
  const rename = useMutation({
    mutationFn: () =>
      updateWorkspace({
        path: { workspace_id: workspace.id },
        body: { name: name.trim() },
        throwOnError: true,
      }),
    onSuccess: onChanged,
  });
  return (
    <Table.Tr>
      <Table.Td>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            rename.mutate();
          }}
        >
          <Group gap="xs">
            <TextInput
              aria-label={t('settings.workspaceNameOf', { name: workspace.name })}
              value={name}
              maxLength={200}
              onChange={(event) => setName(event.currentTarget.value)}
              error={rename.error && wordsOf(rename.error).text}
            />
            {name.trim() && name !== workspace.name && (
              <Button type="submit" size="xs" loading={rename.isPending}>
                {t('common.save')}
              </Button>
            )}
          </Group>
        </form>
      </Table.Td>
      <Table.Td ta="right" c="dimmed">
        {formatDate(workspace.created_at)}
      </Table.Td>
    </Table.Tr>
  );
}
