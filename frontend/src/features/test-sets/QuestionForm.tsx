import { Button, Checkbox, Group, Stack, TagsInput, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listDocumentsOptions } from '../../api/generated/@tanstack/react-query.gen';
import { addTestQuestions, updateTestQuestion } from '../../api/generated/sdk.gen';
import type { TestQuestionView, TestSetView } from '../../api/generated/types.gen';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { useNotify } from '../../components/useNotify';

interface Props {
  set: TestSetView;
  /** Null for a new one. */
  question: TestQuestionView | null;
  onClose: () => void;
  onChanged: () => unknown;
}

/** A question and the documents that should be found for it, chosen by name. */
export function QuestionForm({ set, question, onClose, onChanged }: Props) {
  const { t } = useTranslation();
  const { done } = useNotify();
  const [words, setWords] = useState(question?.question ?? '');
  const [documents, setDocuments] = useState(question?.expected.documents.map((one) => one.name) ?? []);
  const [nothing, setNothing] = useState(question?.expected.nothing ?? false);
  const [forget, setForget] = useState(false);
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), 250);
  const lists = useQueries({
    queries: set.knowledge_bases.map((base) => ({
      ...listDocumentsOptions({
        path: { knowledge_base_id: base.id },
        query: { limit: 20, ...(q ? { q } : {}) },
      }),
      placeholderData: keepPreviousData,
    })),
  });
  const names = [...new Set(lists.flatMap((list) => list.data?.items ?? []).map((one) => one.name))];
  const unavailable = question?.expected.unavailable ?? 0;
  // A name that several documents have stands for the ones that are expected already.
  const known = new Map(question?.expected.documents.map((one) => [one.name, one.id]));
  const save = useMutation({
    mutationFn: async () => {
      const body = {
        question: words.trim(),
        documents: nothing ? [] : documents.map((name) => known.get(name) ?? name),
        expects_nothing: nothing,
      };
      if (!question) {
        const path = { test_set_id: set.id };
        const added = await addTestQuestions({ path, body: { questions: [body] }, throwOnError: true });
        return added.data.unknown.flatMap((one) => one.names);
      }
      const changed = await updateTestQuestion({
        path: { question_id: question.id },
        body: { ...body, forget_unavailable: forget },
        throwOnError: true,
      });
      return changed.data.expected.unknown;
    },
    onSuccess: async (unknown) => {
      if (unknown.length > 0) done(t('testSets.unknownNames', { names: unknown.join(', ') }));
      await onChanged();
      onClose();
    },
  });
  return (
    <Dialog
      opened
      onClose={onClose}
      title={question ? t('testSets.editQuestion') : t('testSets.addQuestion')}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (words.trim()) save.mutate();
        }}
      >
        <Stack>
          <Textarea
            label={t('knowledge.testQuestion')}
            autosize
            minRows={2}
            maxLength={4000}
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
            data-autofocus
          />
          <TagsInput
            label={t('hitTest.expected')}
            description={t('testSets.expectedHint')}
            disabled={nothing}
            data={names}
            filter={({ options }) => options}
            searchValue={typed}
            onSearchChange={setTyped}
            value={nothing ? [] : documents}
            onChange={setDocuments}
            splitChars={[]}
          />
          <Checkbox
            label={t('hitTest.expectsNothing')}
            checked={nothing}
            onChange={(event) => setNothing(event.currentTarget.checked)}
          />
          {unavailable > 0 && (
            <>
              <Text size="sm">{t('hitTest.unavailable', { count: unavailable })}</Text>
              <Checkbox
                label={t('testSets.forget')}
                checked={forget}
                onChange={(event) => setForget(event.currentTarget.checked)}
              />
            </>
          )}
          {save.error && <Problem error={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" disabled={!words.trim()} loading={save.isPending}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
