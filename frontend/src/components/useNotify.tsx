import { Code, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useProblemWords } from './useProblemText';

/** Short notices: something was done, or failed with its reason and code. */
export function useNotify() {
  const wordsOf = useProblemWords();
  return {
    done: (message: string) => notifications.show({ message, color: 'lamp' }),
    failed: (error: unknown) => {
      const { text, code } = wordsOf(error);
      notifications.show({
        color: 'red',
        autoClose: 10_000,
        message: (
          <Text size="sm">
            {text} <Code>{code}</Code>
          </Text>
        ),
      });
    },
  };
}
