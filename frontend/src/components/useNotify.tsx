import { Code, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useTranslation } from 'react-i18next';
import { asProblem } from '../api/problem';
import type problems from '../locales/en/problems.json';

/** Short notices: something was done, or failed with its reason and code. */
export function useNotify() {
  const { t, i18n } = useTranslation();
  return {
    done: (message: string) => notifications.show({ message, color: 'lamp' }),
    failed: (error: unknown) => {
      const problem = asProblem(error);
      const key = `problems.${problem.code}` as `problems.${keyof typeof problems}`;
      const message = i18n.exists(key) ? t(key) : problem.message || t('problems.unknown');
      notifications.show({
        color: 'red',
        autoClose: 10_000,
        message: (
          <Text size="sm">
            {message} <Code>{problem.code}</Code>
          </Text>
        ),
      });
    },
  };
}
