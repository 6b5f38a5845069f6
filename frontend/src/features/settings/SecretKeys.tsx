/** For administrators: the keys that seal stored credentials, by their ids, and the change to a new one. */
import { Badge, Button, Code, Group, Table, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { getSecretKeysOptions, getSecretKeysQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { forgetSecretKeys, rotateSecretKey } from '../../api/generated/sdk.gen';
import { Problem } from '../../components/Problem';
import { useNotify } from '../../components/useNotify';
import { SettingsTable } from './SettingsTable';

export function SecretKeys() {
  const { t } = useTranslation();
  const notify = useNotify();
  const client = useQueryClient();
  const listing = useQuery(getSecretKeysOptions());
  const refresh = () => client.invalidateQueries({ queryKey: [{ _id: getSecretKeysQueryKey()[0]._id }] });
  const rotate = useMutation({
    mutationFn: async () => (await rotateSecretKey({ throwOnError: true })).data,
    onSuccess: async (done) => {
      notify.done(t('settings.secretsSealedAnew', { count: done.sealed_anew }));
      await refresh();
    },
  });
  const forget = useMutation({
    mutationFn: () => forgetSecretKeys({ throwOnError: true }),
    onSuccess: refresh,
  });
  const found = listing.data;
  const failure = rotate.error ?? forget.error;
  return (
    <SettingsTable
      title={t('settings.sections.secrets')}
      text={t(`settings.secretsText.${found?.origin ?? 'file'}`)}
      listing={listing}
      action={
        <Group gap="xs">
          {found && found.keys.length > 1 && (
            <Button variant="default" loading={forget.isPending} onClick={() => forget.mutate()}>
              {t('settings.forgetSecrets')}
            </Button>
          )}
          <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
            {t(found?.origin === 'file' ? 'settings.rotateSecrets' : 'settings.sealAnew')}
          </Button>
        </Group>
      }
    >
      {failure && <Problem error={failure} />}
      {found && (
        <Table verticalSpacing="sm">
          <Table.Tbody>
            {found.keys.map((key) => (
              <Table.Tr key={key.id}>
                <Table.Td>
                  <Code>{key.id}</Code>
                </Table.Td>
                <Table.Td>
                  <Badge variant="light" color={key.is_present ? undefined : 'gray'}>
                    {t(key.is_present ? 'settings.secretPresent' : 'settings.secretFormer')}
                  </Badge>
                </Table.Td>
                <Table.Td ta="right" c="dimmed">
                  {t('settings.secretValues', { count: key.values })}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {found && found.lost > 0 && (
        <Text size="sm" c="red" p="sm">
          {t('settings.secretsLost', { count: found.lost })}
        </Text>
      )}
    </SettingsTable>
  );
}
