/** The head of a card of a source: its icon, its name with a badge, words about it, and what can be done. */
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './CardHead.module.css';

interface Props {
  icon: ReactNode;
  name: string;
  heading: 'h2' | 'h3';
  badge: ReactNode;
  actions: ReactNode;
  children: ReactNode;
}

export function CardHead({ icon, name, heading, badge, actions, children }: Props) {
  return (
    <div className={classes.head}>
      <span className={classes.icon} aria-hidden>
        {icon}
      </span>
      <div className={classes.words}>
        <Group gap="sm">
          <Text component={heading} fw={600} m={0} className={classes.name}>
            {name}
          </Text>
          {badge}
        </Group>
        {children}
      </div>
      {actions}
    </div>
  );
}
