/** One of several meanings: a button each, also by its number in the composer. */
import { Button, Stack, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import classes from './Options.module.css';
import type { FormPartProps } from './RunForm';

export function Options({ form, open, pending, reply, onReply }: FormPartProps) {
  return (
    <Stack gap="xs" component="ol" className={classes.list}>
      {(form.options ?? []).map((option, index) => {
        const isChosen = reply?.option === option.value;
        return (
          <li key={option.value}>
            <Button
              variant={isChosen ? 'light' : 'default'}
              fullWidth
              justify="flex-start"
              className={classes.option}
              disabled={!open || pending}
              aria-pressed={reply ? isChosen : undefined}
              leftSection={
                isChosen ? (
                  <IconCheck size={16} aria-hidden />
                ) : (
                  <Text span size="sm" c="dimmed">
                    {index + 1}
                  </Text>
                )
              }
              onClick={() => onReply({ option: option.value })}
            >
              <span className={classes.words}>
                <span>{option.label}</span>
                {option.description && (
                  <Text span size="xs" c="dimmed" className={classes.description}>
                    {option.description}
                  </Text>
                )}
              </span>
            </Button>
          </li>
        );
      })}
    </Stack>
  );
}
