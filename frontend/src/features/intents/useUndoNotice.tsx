/** A notice of something that was done, with a button that takes it back. */
import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useTranslation } from 'react-i18next';
import { useNotify } from '../../components/useNotify';

export function useUndoNotice() {
  const { t } = useTranslation();
  const { failed } = useNotify();
  return (message: string, undo: () => Promise<unknown>) => {
    const id = `undo-${crypto.randomUUID()}`;
    notifications.show({
      id,
      autoClose: 10_000,
      closeButtonProps: { 'aria-label': t('common.close') },
      message: (
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" lineClamp={2}>
            {message}
          </Text>
          <Button
            size="xs"
            variant="light"
            onClick={() => {
              notifications.hide(id);
              undo().catch(failed);
            }}
          >
            {t('common.undo')}
          </Button>
        </Group>
      ),
    });
  };
}
