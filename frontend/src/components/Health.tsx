/** How a test went: that it works, or what is wrong, with what the other side said and the code. */
import { Code, Group, Text } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './Health.module.css';

export function Healthy({ text }: { text: string }) {
  return (
    <Group gap={6} wrap="nowrap" align="flex-start" className={classes.good} role="status">
      <IconCircleCheck size={16} aria-hidden />
      <Text size="sm">{text}</Text>
    </Group>
  );
}

interface Props {
  text: string;
  /** What the other side said, where it said something. */
  told?: string | null | undefined;
  code: string;
  /** When it was tested, where that is not now. */
  ago?: string | null;
  children?: ReactNode;
}

export function Unhealthy({ text, told, code, ago, children }: Props) {
  return (
    <div className={classes.bad} role="alert">
      <Group gap={6} wrap="nowrap" align="flex-start">
        <IconAlertCircle size={16} aria-hidden />
        <Text size="sm">{text}</Text>
      </Group>
      {told && (
        <Text size="xs" mt={4} className={classes.told}>
          {told}
        </Text>
      )}
      {children}
      <Text size="xs" mt={4} c="dimmed" component="div">
        <Code fz={11}>{code}</Code> {ago}
      </Text>
    </div>
  );
}
