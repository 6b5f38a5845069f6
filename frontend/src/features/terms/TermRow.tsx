/** A term in its row, shown or edited there. */
import { ActionIcon, Button, Group, Paper, Stack, Table, TagsInput, Text, TextInput } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { createTerm, deleteTerm, updateTerm } from '../../api/generated/sdk.gen';
import type { TermView } from '../../api/generated/types.gen';
import { useUndoableDelete } from '../../components/undo';
import { useProblemWords } from '../../components/useProblemText';
import classes from './TermsTab.module.css';

interface RowProps {
  term: TermView;
  mayWrite: boolean;
  onChanged: () => unknown;
}

export function TermRow({ term, mayWrite, onChanged }: RowProps) {
  const { t } = useTranslation();
  const removeWithUndo = useUndoableDelete();
  const [editing, setEditing] = useState(false);
  const remove = () =>
    removeWithUndo({
      ids: [term.id],
      message: t('terms.deleted', { word: term.word }),
      remove: () => deleteTerm({ path: { term_id: term.id }, throwOnError: true }),
      onSettled: onChanged,
    });
  if (editing) {
    return (
      <Table.Tr>
        <Table.Td colSpan={3}>
          <Fields term={term} onClose={() => setEditing(false)} onSaved={onChanged} />
        </Table.Td>
      </Table.Tr>
    );
  }
  return (
    <Table.Tr>
      <Table.Td className={classes.wordText}>{term.word}</Table.Td>
      <Table.Td>
        {term.synonyms.length > 0 ? (
          <span className={classes.synonyms}>
            {term.synonyms.map((synonym) => (
              <span key={synonym} className={classes.synonym}>
                {synonym}
              </span>
            ))}
          </span>
        ) : (
          <Text size="sm" c="dimmed">
            {t('terms.keptWhole')}
          </Text>
        )}
      </Table.Td>
      {mayWrite && (
        <Table.Td>
          <Group gap={2} wrap="nowrap" justify="flex-end">
            <ActionIcon aria-label={t('terms.edit', { word: term.word })} onClick={() => setEditing(true)}>
              <IconPencil size={16} />
            </ActionIcon>
            <ActionIcon aria-label={t('terms.delete', { word: term.word })} onClick={remove}>
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        </Table.Td>
      )}
    </Table.Tr>
  );
}

interface FormProps {
  baseId: string;
  onClose: () => void;
  onSaved: () => unknown;
}

/** A new term, above the list. */
export function TermForm({ baseId, onClose, onSaved }: FormProps) {
  return (
    <Paper className={`rd-card ${classes.form}`}>
      <Fields baseId={baseId} onClose={onClose} onSaved={onSaved} />
    </Paper>
  );
}

type FieldsProps = { onClose: () => void; onSaved: () => unknown } & (
  | { term: TermView; baseId?: undefined }
  | { baseId: string; term?: undefined }
);

function Fields({ term, baseId, onClose, onSaved }: FieldsProps) {
  const { t } = useTranslation();
  const wordsOf = useProblemWords();
  const [word, setWord] = useState(term?.word ?? '');
  const [synonyms, setSynonyms] = useState(term?.synonyms ?? []);
  const save = useMutation({
    mutationFn: async () => {
      const body = { word: word.trim(), synonyms };
      if (term) return updateTerm({ path: { term_id: term.id }, body, throwOnError: true });
      return createTerm({ path: { knowledge_base_id: baseId }, body, throwOnError: true });
    },
    onSuccess: onClose,
    onSettled: onSaved,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (word.trim()) save.mutate();
      }}
    >
      <Stack gap="sm">
        <TextInput
          label={t('terms.word')}
          description={t('terms.wordHint')}
          autoFocus
          maxLength={100}
          value={word}
          error={save.error && wordsOf(save.error).text}
          onChange={(event) => setWord(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Escape' && onClose()}
        />
        <TagsInput
          label={t('terms.synonyms')}
          description={t('terms.synonymsHint')}
          maxTags={50}
          splitChars={[';', '；', '\n']}
          acceptValueOnBlur
          classNames={{ inputField: classes.tagField }}
          clearable
          clearButtonProps={{ 'aria-label': t('terms.clearSynonyms') }}
          value={synonyms}
          onChange={setSynonyms}
        />
        <Group justify="flex-end" gap="xs">
          <Button size="xs" variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button size="xs" type="submit" loading={save.isPending} disabled={!word.trim()}>
            {t('common.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
