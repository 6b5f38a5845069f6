import { Anchor, Center, Stack } from '@mantine/core';
import { IconMapQuestion } from '@tabler/icons-react';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../components/EmptyState';
import { Problem } from '../components/Problem';

/** A page that broke: what happened, and a way to try again. */
export function RouteProblem({ error, reset }: ErrorComponentProps) {
  return (
    <Center mih="60vh" p="md">
      <Stack maw={520} w="100%">
        <Problem
          error={error}
          onRetry={() => {
            reset();
            window.location.reload();
          }}
        />
      </Stack>
    </Center>
  );
}

export function NotFound() {
  const { t } = useTranslation();
  return (
    <main>
      <EmptyState
        order={1}
        icon={<IconMapQuestion size={28} />}
        title={t('shell.notFound')}
        text={t('shell.notFoundText')}
      >
        <Anchor component={Link} to="/ask">
          {t('shell.toStart')}
        </Anchor>
      </EmptyState>
    </main>
  );
}
