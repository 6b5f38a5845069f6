/** The members of the workspace, their roles, and invitations. */
import { ActionIcon, Badge, Button, Select, Table, Text, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserMinus, IconUserPlus, IconUsers } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listMembersQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { listMembers, removeMember, updateMember } from '../../api/generated/sdk.gen';
import type { MemberView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { ConfirmDelete } from '../../components/ConfirmDelete';
import { EmptyState } from '../../components/EmptyState';
import { useCursorList } from '../../components/useCursorList';
import { useNotify } from '../../components/useNotify';
import { InviteMember } from './InviteMember';
import { SettingsTable } from './SettingsTable';
import frame from './SettingsTable.module.css';

export const roles = ['viewer', 'editor', 'owner'] as const;
type Role = (typeof roles)[number];

/** What the server gives at once. */
const query = { limit: 200 };

export function Members() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { failed } = useNotify();
  const { session, workspace } = useCaller();
  const [inviting, invite] = useDisclosure(false);
  const [leaving, setLeaving] = useState<MemberView | null>(null);
  const members = useCursorList(listMembersQueryKey({ query }), (cursor, signal) =>
    listMembers({ query: { ...query, ...cursor }, signal, throwOnError: true }),
  );
  const refresh = () => client.invalidateQueries({ queryKey: [{ _id: listMembersQueryKey()[0]._id }] });
  const change = useMutation({
    mutationFn: ({ userId, role }: { userId: string; role: Role }) =>
      updateMember({ path: { user_id: userId }, body: { role }, throwOnError: true }),
    onError: failed,
    onSettled: refresh,
  });
  const items = members.items;
  return (
    <>
      <SettingsTable
        title={workspace?.name ?? ''}
        text={t('settings.membersText')}
        listing={members}
        action={
          <Button leftSection={<IconUserPlus size={17} />} onClick={invite.open}>
            {t('settings.invite')}
          </Button>
        }
      >
        {members.isSuccess && items.length === 0 && (
          <EmptyState
            icon={<IconUsers size={28} />}
            title={t('settings.noMembers')}
            text={t('settings.noMembersText')}
          />
        )}
        {items.length > 0 && (
          <Table verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('settings.person')}</Table.Th>
                <Table.Th w={150}>{t('settings.role')}</Table.Th>
                <Table.Th w={50}>
                  <span className="rd-hidden">{t('common.more')}</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map((member) => (
                <Table.Tr key={member.user_id}>
                  <Table.Td className={frame.wraps}>
                    <Text fw={550} size="sm">
                      {member.name || member.email}
                    </Text>
                    <Text size="xs" c="dimmed">
                      {member.email}
                    </Text>
                    {member.is_pending && <Badge color="yellow">{t('settings.pending')}</Badge>}
                    {!member.is_active && <Badge color="red">{t('settings.disabled')}</Badge>}
                  </Table.Td>
                  <Table.Td>
                    <Select
                      size="xs"
                      aria-label={t('settings.roleOf', { name: member.name || member.email })}
                      value={member.role}
                      data={roles.map((value) => ({ value, label: t(`settings.roles.${value}`) }))}
                      onChange={(value) => {
                        const role = roles.find((one) => one === value);
                        if (role) change.mutate({ userId: member.user_id, role });
                      }}
                    />
                  </Table.Td>
                  <Table.Td>
                    {member.user_id !== session.user?.id && (
                      <Tooltip label={t('settings.removeMember')}>
                        <ActionIcon
                          aria-label={t('settings.removeNamed', { name: member.name || member.email })}
                          onClick={() => setLeaving(member)}
                        >
                          <IconUserMinus size={17} />
                        </ActionIcon>
                      </Tooltip>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </SettingsTable>
      <InviteMember opened={inviting} onClose={invite.close} onDone={refresh} />
      {leaving && (
        <ConfirmDelete
          opened
          onClose={() => setLeaving(null)}
          name={leaving.email}
          title={t('settings.removeMember')}
          loss={t('settings.removeLoss')}
          onConfirm={async () => {
            await removeMember({ path: { user_id: leaving.user_id }, throwOnError: true });
            await refresh();
          }}
        />
      )}
    </>
  );
}
