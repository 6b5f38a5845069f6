/** A call that changes something: what it is, with what, and a yes or a no. */
import { Button, Group, Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Values } from '../../../components/Values';
import type { FormPartProps } from './RunForm';

export function Agreement({ form, open, pending, reply, onReply }: FormPartProps) {
  const { t } = useTranslation();
  const given = (form.call?.arguments as Record<string, unknown> | undefined) ?? {};
  return (
    <>
      {Object.keys(given).length > 0 && <Values raw label={t('ask.stepArguments')} values={given} />}
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
