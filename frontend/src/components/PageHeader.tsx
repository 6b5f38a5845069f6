import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './PageHeader.module.css';

interface Props {
  title: ReactNode;
  text?: ReactNode;
  above?: ReactNode;
  children?: ReactNode;
}

export function PageHeader({ title, text, above, children }: Props) {
  return (
    <header className={classes.header}>
      {above}
      <Group justify="space-between" align="flex-start" gap="md">
        <div className={classes.words}>
          <Title order={1} className={classes.title} title={typeof title === 'string' ? title : undefined}>
            {title}
          </Title>
          {text && (
            <Text c="dimmed" mt={4} maw={720} component="div" style={{ textWrap: 'pretty' }}>
              {text}
            </Text>
          )}
        </div>
        {children && <Group gap="sm">{children}</Group>}
      </Group>
    </header>
  );
}
