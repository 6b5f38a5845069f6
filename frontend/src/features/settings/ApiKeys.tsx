/** Keys for programs: what each may do, when it was used last, and how to take it back. */
import { Badge, Button, Code, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listApiKeysQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { listApiKeys, revokeApiKey } from '../../api/generated/sdk.gen';
import type { ApiKeyView } from '../../api/generated/types.gen';
import { ConfirmDelete } from '../../components/ConfirmDelete';
import { EmptyState } from '../../components/EmptyState';
import { useCursorList } from '../../components/useCursorList';
import { formatAgo, formatDate } from '../../i18n/format';
import { NewApiKey } from './NewApiKey';
import { SettingsTable } from './SettingsTable';

/** What the server gives at once. */
const query = { limit: 200 };

export function ApiKeys() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [creating, create] = useDisclosure(false);
  const [revoking, setRevoking] = useState<ApiKeyView | null>(null);
  const keys = useCursorList(listApiKeysQueryKey({ query }), (cursor, signal) =>
    listApiKeys({ query: { ...query, ...cursor }, signal, throwOnError: true }),
  );
  const refresh = () => client.invalidateQueries({ queryKey: [{ _id: listApiKeysQueryKey()[0]._id }] });
  const items = keys.items.filter((key) => !key.revoked_at);
  return (
    <>
      <SettingsTable
        title={t('settings.sections.keys')}
        text={t('settings.keysText')}
        listing={keys}
        action={
          <Button leftSection={<IconPlus size={17} />} onClick={create.open}>
            {t('settings.newKey')}
          </Button>
        }
      >
        {keys.isSuccess && items.length === 0 && (
          <EmptyState
            icon={<IconKey size={28} />}
            title={t('settings.noKeys')}
            text={t('settings.noKeysText')}
          />
        )}
        {items.length > 0 && (
          <Table verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('common.name')}</Table.Th>
                <Table.Th>{t('settings.may')}</Table.Th>
                <Table.Th>{t('settings.lastUsed')}</Table.Th>
                <Table.Th>{t('settings.expires')}</Table.Th>
                <Table.Th>
                  <span className="rd-hidden">{t('common.more')}</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map((key) => (
                <Table.Tr key={key.id}>
                  <Table.Td>
                    <Text fw={550} size="sm">
                      {key.name}
                    </Text>
                    <Code fz={11}>{`${key.prefix}…`}</Code>
                  </Table.Td>
                  <Table.Td>
                    {key.scopes.map((scope) => (
                      <Badge key={scope} color="gray" mr={4}>
                        {t(`settings.scopes.${scope}`)}
                      </Badge>
                    ))}
                    {key.resource && <Badge>{t(`settings.boundTo.${key.resource.kind}`)}</Badge>}
                  </Table.Td>
                  <Table.Td>{key.last_used_at ? formatAgo(key.last_used_at) : t('settings.never')}</Table.Td>
                  <Table.Td>{key.expires_at ? formatDate(key.expires_at) : t('settings.never')}</Table.Td>
                  <Table.Td ta="right">
                    <Button size="compact-sm" color="red" variant="light" onClick={() => setRevoking(key)}>
                      {t('settings.revoke')}
                    </Button>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </SettingsTable>
      <NewApiKey opened={creating} onClose={create.close} onDone={refresh} />
      {revoking && (
        <ConfirmDelete
          opened
          onClose={() => setRevoking(null)}
          name={revoking.name}
          title={t('settings.revoke')}
          loss={t('settings.revokeLoss')}
          onConfirm={async () => {
            await revokeApiKey({ path: { key_id: revoking.id }, throwOnError: true });
            await refresh();
          }}
        />
      )}
    </>
  );
}
