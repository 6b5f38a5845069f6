/** A call that changes something: what it is, with what, and a yes or a no. */
import { Button, Group, Table, Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { FormPartProps } from './RunForm';

export function Agreement({ form, open, pending, reply, onReply }: FormPartProps) {
  const { t } = useTranslation();
  const given = Object.entries((form.call?.arguments as Record<string, unknown> | undefined) ?? {});
  return (
    <>
      {given.length > 0 && (
        <Table.ScrollContainer minWidth={240}>
          <Table withRowBorders={false} aria-label={t('ask.stepArguments')}>
            <Table.Tbody>
              {given.map(([name, value]) => (
                <Table.Tr key={name}>
                  <Table.Th scope="row" fw={500}>
                    {name}
                  </Table.Th>
                  <Table.Td>{typeof value === 'string' ? value : JSON.stringify(value)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {open ? (
        <Group mt="xs">
          <Button
            loading={pending}
            leftSection={<IconCheck size={16} aria-hidden />}
            onClick={() => onReply({ approve: true })}
          >
            {t('ask.form.yes')}
          </Button>
          <Button
            variant="default"
            disabled={pending}
            leftSection={<IconX size={16} aria-hidden />}
            onClick={() => onReply({ approve: false })}
          >
            {t('ask.form.no')}
          </Button>
        </Group>
      ) : (
        reply && (
          <Text size="sm" fw={500}>
            {reply.approve ? t('ask.form.agreed') : t('ask.form.declined')}
          </Text>
        )
      )}
    </>
  );
}
