import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';

/** What is typed, and the same once nobody has typed for a moment: what a list is asked for. */
export function useSearchWords() {
  const [words, setWords] = useState('');
  const [q] = useDebouncedValue(words.trim(), 250);
  return { words, setWords, q };
}

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  label: string;
  words: string;
  onWords: (words: string) => void;
}

/** A field that narrows a list down; its label is read out and stands in it. */
export function SearchField({ label, words, onWords, ...more }: Props) {
  return (
    <TextInput
      leftSection={<IconSearch size={16} />}
      aria-label={label}
      placeholder={label}
      value={words}
      onChange={(event) => onWords(event.currentTarget.value)}
      {...more}
    />
  );
}
