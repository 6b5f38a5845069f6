/**
 * A page that cannot show what its address names. If there is no such thing (or the id is none at all), trying
 * again would not help: it says so and leads back; anything else may be tried again.
 */
import { Button } from '@mantine/core';
import { IconArrowLeft, IconMapQuestion } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isUnknownAddress } from '../api/problem';
import { EmptyState } from './EmptyState';
import { Problem } from './Problem';

/** Where each kind of thing is listed. */
const rooms = {
  ask: { to: '/ask', name: 'shell.ask' },
  knowledge: { to: '/knowledge', name: 'shell.knowledge' },
  applications: { to: '/applications', name: 'shell.applications' },
  models: { to: '/models', name: 'shell.models' },
} as const;

interface UnknownProps {
  room: keyof typeof rooms;
  title?: string;
  text?: string;
}

export function UnknownAddress({ room, title, text }: UnknownProps) {
  const { t } = useTranslation();
  const { to, name } = rooms[room];
  return (
    <EmptyState
      order={1}
      icon={<IconMapQuestion size={28} />}
      title={title ?? t('shell.notHere')}
      text={text ?? t('shell.notHereText')}
    >
      <Button
        component={Link}
        to={to}
        variant="default"
        leftSection={<IconArrowLeft size={16} aria-hidden />}
      >
        {t('shell.backTo', { room: t(name) })}
      </Button>
    </EmptyState>
  );
}

interface Props {
  error: unknown;
  room: UnknownProps['room'];
  onRetry: () => void;
}

export function PageProblem({ error, room, onRetry }: Props) {
  return isUnknownAddress(error) ? (
    <UnknownAddress room={room} />
  ) : (
    <Problem error={error} onRetry={onRetry} />
  );
}
