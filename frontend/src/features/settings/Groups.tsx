/** Groups of members: named, with whoever belongs to them. */
import { ActionIcon, MultiSelect, Stack, Table, Text } from '@mantine/core';
import { IconTrash, IconUsersGroup } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listGroupsQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import {
  addGroupMember,
  createGroup,
  deleteGroup,
  listGroups,
  removeGroupMember,
} from '../../api/generated/sdk.gen';
import type { GroupView, MemberView } from '../../api/generated/types.gen';
import { EmptyState } from '../../components/EmptyState';
import { useHidden, useUndoableDelete } from '../../components/undo';
import { useCursorList } from '../../components/useCursorList';
import { useNotify } from '../../components/useNotify';
import { useMembers } from '../access/useMembers';
import { AddByName } from './AddByName';
import { SettingsTable } from './SettingsTable';
import frame from './SettingsTable.module.css';

/** What the server gives at once. */
const query = { limit: 200 };

export function Groups() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const hidden = useHidden();
  const groups = useCursorList(listGroupsQueryKey({ query }), (cursor, signal) =>
    listGroups({ query: { ...query, ...cursor }, signal, throwOnError: true }),
  );
  const members = useMembers();
  const refresh = () => client.invalidateQueries({ queryKey: [{ _id: listGroupsQueryKey()[0]._id }] });
  const create = async (name: string) => {
    await createGroup({ body: { name }, throwOnError: true });
    await refresh();
  };
  const items = groups.items.filter((group) => !hidden.has(group.id));
  return (
    <Stack>
      <SettingsTable
        title={t('settings.sections.groups')}
        text={t('settings.groupsText')}
        listing={groups}
        action={<AddByName label={t('settings.groupName')} action={t('settings.addGroup')} onAdd={create} />}
      >
        {groups.isSuccess && items.length === 0 && (
          <EmptyState
            icon={<IconUsersGroup size={28} />}
            title={t('settings.noGroups')}
            text={t('settings.noGroupsText')}
          />
        )}
        {items.length > 0 && (
          <Table verticalSpacing="sm">
            <Table.Tbody>
              {items.map((group) => (
                <Row key={group.id} group={group} members={members.data ?? []} onChanged={refresh} />
              ))}
            </Table.Tbody>
          </Table>
        )}
      </SettingsTable>
    </Stack>
  );
}

function Row({
  group,
  members,
  onChanged,
}: {
  group: GroupView;
  members: MemberView[];
  onChanged: () => unknown;
}) {
  const { t } = useTranslation();
  const { failed } = useNotify();
  const removeWithUndo = useUndoableDelete();
  const change = useMutation({
    mutationFn: async (ids: string[]) => {
      const added = ids.filter((id) => !group.member_ids.includes(id));
      const removed = group.member_ids.filter((id) => !ids.includes(id));
      const path = (user_id: string) => ({ group_id: group.id, user_id });
      for (const id of added) await addGroupMember({ path: path(id), throwOnError: true });
      for (const id of removed) await removeGroupMember({ path: path(id), throwOnError: true });
    },
    onError: failed,
    onSettled: onChanged,
  });
  return (
    <Table.Tr>
      <Table.Td w={140} miw={96} className={frame.wraps}>
        <Text fw={550} size="sm">
          {group.name}
        </Text>
      </Table.Td>
      <Table.Td miw={220} className={frame.wraps}>
        <MultiSelect
          size="xs"
          searchable
          hidePickedOptions
          aria-label={t('settings.membersOf', { name: group.name })}
          placeholder={group.member_ids.length === 0 ? t('settings.chooseMembers') : undefined}
          nothingFoundMessage={t('common.nothingFound')}
          value={[...group.member_ids]}
          data={members.map((member) => ({ value: member.user_id, label: member.name || member.email }))}
          onChange={(ids) => change.mutate(ids)}
        />
      </Table.Td>
      <Table.Td w={50}>
        <ActionIcon
          aria-label={t('settings.deleteGroup', { name: group.name })}
          onClick={() =>
            removeWithUndo({
              ids: [group.id],
              message: t('settings.groupDeleted', { name: group.name }),
              remove: () => deleteGroup({ path: { group_id: group.id }, throwOnError: true }),
              onSettled: onChanged,
            })
          }
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Table.Td>
    </Table.Tr>
  );
}
