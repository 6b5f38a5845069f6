/** What a list shows when there is nothing yet: what belongs here, and the next step. */
import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './EmptyState.module.css';

interface Props {
  icon: ReactNode;
  title: string;
  text: string;
  /** 1 where it is all that a page shows. */
  order?: 1 | 2;
  children?: ReactNode;
}

export function EmptyState({ icon, title, text, order = 2, children }: Props) {
  return (
    <Stack align="center" gap="sm" className={classes.empty}>
      <div className={classes.icon} aria-hidden>
        {icon}
      </div>
      <Title order={order} size="h4" ta="center">
        {title}
      </Title>
      <Text c="dimmed" ta="center" maw={440} className={classes.text}>
        {text}
      </Text>
      {children}
    </Stack>
  );
}
