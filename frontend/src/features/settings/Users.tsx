/** For administrators: everybody who has an account here. */
import { ActionIcon, Badge, Menu, Table, Text } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listUsersQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { createResetLink, listUsers, updateUser } from '../../api/generated/sdk.gen';
import type { LinkView, UserPatch, UserView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { Dialog } from '../../components/Dialog';
import { useCursorList } from '../../components/useCursorList';
import { useNotify } from '../../components/useNotify';
import { formatAgo, formatDateTime } from '../../i18n/format';
import { OneTimeSecret } from './OneTimeSecret';
import { SettingsTable } from './SettingsTable';
import frame from './SettingsTable.module.css';

/** What the server gives at once. */
const query = { limit: 200 };

export function Users() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { failed } = useNotify();
  const { session } = useCaller();
  const [link, setLink] = useState<LinkView | null>(null);
  const users = useCursorList(listUsersQueryKey({ query }), (cursor, signal) =>
    listUsers({ query: { ...query, ...cursor }, signal, throwOnError: true }),
  );
  const change = useMutation({
    mutationFn: ({ id, body }: { id: string; body: UserPatch }) =>
      updateUser({ path: { user_id: id }, body, throwOnError: true }),
    onError: failed,
    onSettled: () => client.invalidateQueries({ queryKey: [{ _id: listUsersQueryKey()[0]._id }] }),
  });
  const reset = useMutation({
    mutationFn: async (id: string) =>
      (await createResetLink({ path: { user_id: id }, throwOnError: true })).data,
    onSuccess: setLink,
    onError: failed,
  });
  return (
    <SettingsTable title={t('settings.sections.users')} text={t('settings.usersText')} listing={users}>
      {users.data && (
        <Table verticalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('settings.person')}</Table.Th>
              <Table.Th>{t('knowledge.state')}</Table.Th>
              <Table.Th>{t('settings.lastSeen')}</Table.Th>
              <Table.Th w={50}>
                <span className="rd-hidden">{t('common.more')}</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {users.items.map((user) => (
              <Row
                key={user.id}
                user={user}
                isSelf={user.id === session.user?.id}
                onChange={(body) => change.mutate({ id: user.id, body })}
                onReset={() => reset.mutate(user.id)}
              />
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Dialog opened={link !== null} onClose={() => setLink(null)} title={t('settings.resetLink')}>
        {link?.link && (
          <OneTimeSecret
            label={t('settings.resetLink')}
            value={new URL(link.link, window.location.origin).href}
            note={t('settings.invitationNote', {
              email: link.user.email,
              until: link.expires_at ? formatDateTime(link.expires_at) : '',
            })}
          />
        )}
      </Dialog>
    </SettingsTable>
  );
}

interface RowProps {
  user: UserView;
  isSelf: boolean;
  onChange: (body: UserPatch) => void;
  onReset: () => void;
}

function Row({ user, isSelf, onChange, onReset }: RowProps) {
  const { t } = useTranslation();
  return (
    <Table.Tr>
      <Table.Td className={frame.wraps}>
        <Text fw={550} size="sm">
          {user.name || user.email}
        </Text>
        <Text size="xs" c="dimmed">
          {user.email}
        </Text>
      </Table.Td>
      <Table.Td>
        {user.is_administrator && <Badge mr={4}>{t('settings.administrator')}</Badge>}
        {user.is_pending && <Badge color="yellow">{t('settings.pending')}</Badge>}
        {!user.is_active && <Badge color="red">{t('settings.disabled')}</Badge>}
      </Table.Td>
      <Table.Td>{user.last_login_at ? formatAgo(user.last_login_at) : t('settings.never')}</Table.Td>
      <Table.Td>
        {!isSelf && (
          <Menu position="bottom-end" width={230}>
            <Menu.Target>
              <ActionIcon aria-label={t('settings.userActions', { name: user.name || user.email })}>
                <IconDots size={17} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={onReset}>{t('settings.makeResetLink')}</Menu.Item>
              <Menu.Item onClick={() => onChange({ is_administrator: !user.is_administrator })}>
                {user.is_administrator ? t('settings.takeAdministrator') : t('settings.makeAdministrator')}
              </Menu.Item>
              <Menu.Item
                color={user.is_active ? 'red' : undefined}
                onClick={() => onChange({ is_active: !user.is_active })}
              >
                {user.is_active ? t('settings.disable') : t('settings.enable')}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
