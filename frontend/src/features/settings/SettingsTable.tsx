import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './SettingsTable.module.css';

interface Props {
  title: string;
  text: string;
  action?: ReactNode;
  children: ReactNode;
}

/** A section of the settings: what it is, what one can add, and the list in a card that scrolls on phones. */
export function SettingsTable({ title, text, action, children }: Props) {
  return (
    <div>
      <Group justify="space-between" align="flex-end" mb="md">
        <div>
          <Title order={2} size="h5">
            {title}
          </Title>
          <Text size="sm" c="dimmed" maw={560}>
            {text}
          </Text>
        </div>
        {action}
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={classes.frame} tabIndex={0} aria-label={title}>
        {children}
      </section>
    </div>
  );
}
