/** The questions of a set: add, take in from a file, change what they expect, remove. */
import { ActionIcon, Button, FileButton, Group, Stack, Table, Text } from '@mantine/core';
import { IconFileImport, IconMessageQuestion, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listTestQuestionsQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { deleteTestQuestion, importTestQuestions, listTestQuestions } from '../../api/generated/sdk.gen';
import type { TestQuestionView, TestSetView } from '../../api/generated/types.gen';
import { EmptyState } from '../../components/EmptyState';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { useHidden, useUndoableDelete } from '../../components/undo';
import { useNotify } from '../../components/useNotify';
import { decode } from '../hit-test/batchInput';
import classes from '../hit-test/HitTest.module.css';
import { Expected } from '../hit-test/ResultTable';
import { QuestionForm } from './QuestionForm';

export function TestSetQuestions({ set, mayWrite }: { set: TestSetView; mayWrite: boolean }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { done, failed } = useNotify();
  const hidden = useHidden();
  const [editing, setEditing] = useState<TestQuestionView | 'new' | null>(null);
  const forget = useRef<() => void>(null);
  const path = { test_set_id: set.id };
  const query = { limit: 100 };
  const list = useInfiniteQuery({
    queryKey: listTestQuestionsQueryKey({ path, query }),
    queryFn: async ({ pageParam, signal }) =>
      (
        await listTestQuestions({
          path,
          query: { ...query, ...(pageParam ? { cursor: pageParam } : {}) },
          signal,
          throwOnError: true,
        })
      ).data,
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
  const refresh = () => client.invalidateQueries();
  const take = useMutation({
    mutationFn: async (file: File) =>
      (
        await importTestQuestions({
          path,
          body: {
            format: file.name.toLowerCase().endsWith('.jsonl') ? 'jsonl' : 'csv',
            content: decode(await file.arrayBuffer()),
          },
          throwOnError: true,
        })
      ).data,
    onSuccess: async ({ added, unknown }) => {
      done(t('testSets.added', { count: added }));
      if (unknown.length > 0) {
        const names = unknown.flatMap((one) => one.names).slice(0, 5);
        done(t('testSets.unknownNames', { names: names.join(', ') }));
      }
      await refresh();
    },
    onError: failed,
  });
  const items = (list.data?.pages ?? []).flatMap((page) => page.items).filter((one) => !hidden.has(one.id));
  if (list.isPending) return <Skeletons rows={5} />;
  if (list.error) return <Problem error={list.error} onRetry={list.refetch} />;
  return (
    <Stack>
      {mayWrite && (
        <Group>
          <Button leftSection={<IconPlus size={16} />} onClick={() => setEditing('new')}>
            {t('testSets.addQuestion')}
          </Button>
          <FileButton
            accept=".csv,.tsv,.jsonl"
            resetRef={forget}
            onChange={(file) => {
              // The same file can be chosen again, changed meanwhile.
              forget.current?.();
              if (file) take.mutate(file);
            }}
          >
            {(props) => (
              <Button
                {...props}
                variant="default"
                loading={take.isPending}
                leftSection={<IconFileImport size={16} />}
              >
                {t('hitTest.takeFile')}
              </Button>
            )}
          </FileButton>
        </Group>
      )}
      {items.length === 0 ? (
        <EmptyState
          icon={<IconMessageQuestion size={30} />}
          title={t('testSets.noQuestions')}
          text={t('testSets.noQuestionsText')}
        />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        <section className={classes.scroll} tabIndex={0} aria-label={t('hitTest.questions')}>
          <Table verticalSpacing={8}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('knowledge.testQuestion')}</Table.Th>
                <Table.Th>{t('hitTest.expected')}</Table.Th>
                {mayWrite && (
                  <Table.Th w={84}>
                    <span className="rd-hidden">{t('common.more')}</span>
                  </Table.Th>
                )}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map((question) => (
                <Table.Tr key={question.id}>
                  <Table.Td className={classes.question}>{question.question}</Table.Td>
                  <Table.Td>
                    <Expected expected={question.expected} />
                    <Unjudged question={question} />
                  </Table.Td>
                  {mayWrite && (
                    <Table.Td>
                      <Tools question={question} onEdit={() => setEditing(question)} onChanged={refresh} />
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
      {list.hasNextPage && (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
          {t('common.loadMore')}
        </Button>
      )}
      {editing && (
        <QuestionForm
          set={set}
          question={editing === 'new' ? null : editing}
          onClose={() => setEditing(null)}
          onChanged={refresh}
        />
      )}
    </Stack>
  );
}

function Unjudged({ question: { expected } }: { question: TestQuestionView }) {
  const { t } = useTranslation();
  if (expected.nothing || expected.documents.length + expected.paragraphs.length > 0) return null;
  return (
    <Text size="xs" c="dimmed">
      {t('testSets.unjudged')}
    </Text>
  );
}

interface ToolsProps {
  question: TestQuestionView;
  onEdit: () => void;
  onChanged: () => unknown;
}

function Tools({ question, onEdit, onChanged }: ToolsProps) {
  const { t } = useTranslation();
  const removeWithUndo = useUndoableDelete();
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      <ActionIcon aria-label={t('questions.edit', { question: question.question })} onClick={onEdit}>
        <IconPencil size={16} />
      </ActionIcon>
      <ActionIcon
        aria-label={t('questions.delete', { question: question.question })}
        onClick={() =>
          removeWithUndo({
            ids: [question.id],
            message: t('questions.deleted', { question: question.question }),
            remove: () => deleteTestQuestion({ path: { question_id: question.id }, throwOnError: true }),
            onSettled: onChanged,
          })
        }
      >
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  );
}
