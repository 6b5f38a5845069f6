import { Code, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useTranslation } from 'react-i18next';
import { useProblemWords } from './useProblemText';

/** Short notices: something was done, or failed with its reason and code. */
export function useNotify() {
  const { t } = useTranslation();
  const wordsOf = useProblemWords();
  const closeButtonProps = { 'aria-label': t('common.close') };
  return {
    done: (message: string) => notifications.show({ message, color: 'lamp', closeButtonProps }),
    failed: (error: unknown) => {
      const { text, code } = wordsOf(error);
      notifications.show({
        color: 'red',
        autoClose: 10_000,
        closeButtonProps,
        message: (
          <Text size="sm">
            {text} <Code>{code}</Code>
          </Text>
        ),
      });
    },
  };
}
