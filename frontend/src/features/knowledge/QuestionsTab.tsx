/** The questions of a base: each is searched with the paragraphs it belongs to. */
import { ActionIcon, Anchor, Button, Group, Popover, Table, Text, TextInput, Tooltip } from '@mantine/core';
import { IconMessageQuestion, IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  listQuestionParagraphsOptions,
  listQuestionsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { deleteQuestion, listQuestions, updateQuestion } from '../../api/generated/sdk.gen';
import type { KnowledgeBaseView, QuestionView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { EmptyState } from '../../components/EmptyState';
import { LoadMore } from '../../components/LoadMore';
import { Problem } from '../../components/Problem';
import { SearchField, useSearchWords } from '../../components/SearchField';
import { Skeletons } from '../../components/Skeletons';
import { useHidden, useUndoableDelete } from '../../components/undo';
import { useCursorList } from '../../components/useCursorList';
import { useProblemWords } from '../../components/useProblemText';
import { formatNumber } from '../../i18n/format';
import classes from './DocumentsTab.module.css';
import tableClasses from './DocumentTable.module.css';

export function QuestionsTab({ base }: { base: KnowledgeBaseView }) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const client = useQueryClient();
  const hidden = useHidden();
  const { words, setWords, q } = useSearchWords();
  const path = { knowledge_base_id: base.id };
  const query = { limit: 100, ...(q ? { q } : {}) };
  const list = useCursorList(listQuestionsQueryKey({ path, query }), (cursor, signal) =>
    listQuestions({ path, query: { ...query, ...cursor }, signal, throwOnError: true }),
  );
  const refresh = () =>
    client.invalidateQueries({ queryKey: [{ _id: listQuestionsQueryKey({ path })[0]._id, path }] });
  const items = list.items.filter((one) => !hidden.has(one.id));
  if (list.isPending) return <Skeletons rows={6} />;
  if (list.error) return <Problem error={list.error} onRetry={list.refetch} />;
  if (items.length === 0 && !q) {
    return (
      <EmptyState
        icon={<IconMessageQuestion size={30} />}
        title={t('questions.none')}
        text={t('questions.noneText')}
      />
    );
  }
  return (
    <div>
      <SearchField
        mb="md"
        className={classes.search}
        label={t('questions.find')}
        words={words}
        onWords={setWords}
      />
      {items.length === 0 ? (
        <Text c="dimmed">{t('common.nothingFound')}</Text>
      ) : (
        <div className={tableClasses.frame}>
          <Table verticalSpacing={10} highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('questions.question')}</Table.Th>
                <Table.Th w={120}>{t('knowledge.paragraphs')}</Table.Th>
                <Table.Th w={90} ta="right" className={tableClasses.wide}>
                  <Tooltip label={t('questions.hitsHint')}>
                    <span>{t('questions.hits')}</span>
                  </Tooltip>
                </Table.Th>
                {mayWrite && (
                  <Table.Th w={84}>
                    <span className="rd-hidden">{t('common.more')}</span>
                  </Table.Th>
                )}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map((question) => (
                <Row key={question.id} question={question} mayWrite={mayWrite} onChanged={refresh} />
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      <LoadMore list={list} />
    </div>
  );
}

interface RowProps {
  question: QuestionView;
  mayWrite: boolean;
  onChanged: () => unknown;
}

function Row({ question, mayWrite, onChanged }: RowProps) {
  const { t } = useTranslation();
  const wordsOf = useProblemWords();
  const removeWithUndo = useUndoableDelete();
  const [editing, setEditing] = useState<string | null>(null);
  const path = { question_id: question.id };
  const rename = useMutation({
    mutationFn: (content: string) => updateQuestion({ path, body: { content }, throwOnError: true }),
    onSuccess: () => setEditing(null),
    onSettled: onChanged,
  });
  const remove = () =>
    removeWithUndo({
      ids: [question.id],
      message: t('questions.deleted', { question: question.content }),
      remove: () => deleteQuestion({ path, throwOnError: true }),
      onSettled: onChanged,
    });
  return (
    <Table.Tr>
      <Table.Td>
        {editing === null ? (
          question.content
        ) : (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (editing.trim()) rename.mutate(editing.trim());
            }}
          >
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <TextInput
                flex={1}
                size="xs"
                autoFocus
                maxLength={500}
                aria-label={t('questions.question')}
                value={editing}
                error={rename.error && wordsOf(rename.error).text}
                onChange={(event) => setEditing(event.currentTarget.value)}
                onKeyDown={(event) => event.key === 'Escape' && setEditing(null)}
              />
              <Button size="xs" type="submit" loading={rename.isPending} disabled={!editing.trim()}>
                {t('common.save')}
              </Button>
              <Button size="xs" variant="default" onClick={() => setEditing(null)}>
                {t('common.cancel')}
              </Button>
            </Group>
          </form>
        )}
      </Table.Td>
      <Table.Td>
        <Popover width={360} position="bottom-start" withinPortal shadow="md">
          <Popover.Target>
            <Button size="compact-sm" variant="subtle">
              {t('knowledge.paragraphCount', { count: question.paragraph_count })}
            </Button>
          </Popover.Target>
          <Popover.Dropdown>
            <Attached questionId={question.id} />
          </Popover.Dropdown>
        </Popover>
      </Table.Td>
      <Table.Td ta="right" className={tableClasses.wide}>
        {formatNumber(question.hit_count)}
      </Table.Td>
      {mayWrite && (
        <Table.Td>
          <Group gap={2} wrap="nowrap" justify="flex-end">
            <ActionIcon
              aria-label={t('questions.edit', { question: question.content })}
              onClick={() => setEditing(question.content)}
            >
              <IconPencil size={16} />
            </ActionIcon>
            <ActionIcon aria-label={t('questions.delete', { question: question.content })} onClick={remove}>
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        </Table.Td>
      )}
    </Table.Tr>
  );
}

function Attached({ questionId }: { questionId: string }) {
  const { t } = useTranslation();
  const paragraphs = useQuery(
    listQuestionParagraphsOptions({ path: { question_id: questionId }, query: { limit: 20 } }),
  );
  if (paragraphs.isPending) return <Skeletons rows={2} height={32} />;
  if (paragraphs.error) return <Problem error={paragraphs.error} onRetry={paragraphs.refetch} />;
  if (paragraphs.data.items.length === 0) return <Text size="sm">{t('questions.unattached')}</Text>;
  return (
    <ul className={classes.plain}>
      {paragraphs.data.items.map(({ document_name, paragraph }) => (
        <li key={paragraph.id}>
          <Text size="xs" c="dimmed">
            {document_name}
          </Text>
          <Anchor
            component={Link}
            size="sm"
            lineClamp={3}
            to="/documents/$documentId"
            params={{ documentId: paragraph.document_id } as never}
            search={{ paragraph: paragraph.id } as never}
          >
            {paragraph.title || paragraph.content}
          </Anchor>
        </li>
      ))}
    </ul>
  );
}
