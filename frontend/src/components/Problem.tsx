/** An error people can act on: what happened in words, what may help, the code, and a way to try again. */
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useProblemText } from './useProblemText';

interface Props {
  error: unknown;
  onRetry?: () => void;
  title?: string;
}

export function Problem({ error, onRetry, title }: Props) {
  const { t } = useTranslation();
  const { message, hint, code, requestId } = useProblemText(error);
  return (
    <Alert
      color="red"
      variant="light"
      radius="lg"
      role="alert"
      icon={<IconAlertTriangle size={18} />}
      title={title ?? t('common.problem')}
    >
      <Stack gap="xs">
        <Text size="sm">{message}</Text>
        {hint && <Text size="sm">{hint}</Text>}
        <Group gap="sm">
          {onRetry && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconRefresh size={14} />}
              onClick={() => onRetry()}
            >
              {t('common.retry')}
            </Button>
          )}
          <Code c="inherit" bg="transparent" title={requestId ?? undefined}>
            {code}
          </Code>
        </Group>
      </Stack>
    </Alert>
  );
}
