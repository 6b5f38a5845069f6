/** The field and button with which a named thing is made beside its list; keeps the name if it is refused. */
import { Button, Group, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useProblemWords } from '../../components/useProblemText';

interface Props {
  label: string;
  action: string;
  onAdd: (name: string) => Promise<unknown>;
}

export function AddByName({ label, action, onAdd }: Props) {
  const wordsOf = useProblemWords();
  const [name, setName] = useState('');
  const add = useMutation({ mutationFn: onAdd, onSuccess: () => setName('') });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim()) add.mutate(name.trim());
      }}
    >
      <Group gap="xs" align="flex-start">
        <TextInput
          aria-label={label}
          placeholder={label}
          value={name}
          maxLength={200}
          error={add.error && wordsOf(add.error).text}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" loading={add.isPending} disabled={!name.trim()}>
          {action}
        </Button>
      </Group>
    </form>
  );
}
