/** The pages or files of a source and what became of each; those with a problem first. */
import { Anchor, Button, Code, Group, SegmentedControl, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listSourceItemsQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { listSourceItems } from '../../api/generated/sdk.gen';
import type { SourceItemView, SourceView } from '../../api/generated/types.gen';
import { ProblemError } from '../../api/problem';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { useProblemWords } from '../../components/useProblemText';
import classes from './SourceCard.module.css';

type State = SourceItemView['state'];
const groups: Record<'problems' | 'all', State[] | null> = { problems: ['failed', 'skipped'], all: null };

export function SourceItems({ source }: { source: SourceView }) {
  const { t } = useTranslation();
  const [group, setGroup] = useState<keyof typeof groups>(
    (source.counts.failed ?? 0) + (source.counts.skipped ?? 0) > 0 ? 'problems' : 'all',
  );
  const path = { source_id: source.id };
  const state = groups[group];
  const query = { limit: 50, ...(state ? { state } : {}) };
  const items = useInfiniteQuery({
    queryKey: [...listSourceItemsQueryKey({ path, query }), source.last_run_at],
    queryFn: async ({ pageParam, signal }) =>
      (
        await listSourceItems({
          path,
          query: { ...query, ...(pageParam ? { cursor: pageParam } : {}) },
          signal,
          throwOnError: true,
        })
      ).data,
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
  const shown = (items.data?.pages ?? []).flatMap((page) => page.items);
  return (
    <div className={classes.items}>
      <Group mb="xs">
        <SegmentedControl
          size="xs"
          aria-label={t('sources.which')}
          value={group}
          onChange={(value) => setGroup(value === 'all' ? 'all' : 'problems')}
          data={[
            { value: 'problems', label: t('sources.problems') },
            { value: 'all', label: t('sources.all') },
          ]}
        />
      </Group>
      {items.isPending && <Skeletons rows={3} height={28} />}
      {items.error && <Problem error={items.error} onRetry={items.refetch} />}
      {items.isSuccess && shown.length === 0 && (
        <Text size="sm" c="dimmed">
          {group === 'problems' ? t('sources.noProblems') : t('sources.noItems')}
        </Text>
      )}
      {shown.length > 0 && (
        <Table verticalSpacing={6} fz="sm">
          <Table.Tbody>
            {shown.map((item) => (
              <Row key={item.id} item={item} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      {items.hasNextPage && (
        <Button
          variant="subtle"
          size="xs"
          fullWidth
          loading={items.isFetchingNextPage}
          onClick={() => items.fetchNextPage()}
        >
          {t('common.loadMore')}
        </Button>
      )}
    </div>
  );
}

function Row({ item }: { item: SourceItemView }) {
  const { t } = useTranslation();
  const wordsOf = useProblemWords();
  const problem = item.error
    ? wordsOf(new ProblemError(422, { ...item.error, detail: item.error.reason }))
    : null;
  return (
    <Table.Tr>
      <Table.Td className={classes.key}>
        {item.document_id ? (
          <Anchor
            component={Link}
            size="sm"
            to="/documents/$documentId"
            params={{ documentId: item.document_id } as never}
          >
            {item.key}
          </Anchor>
        ) : (
          item.key
        )}
        {problem && (
          <Text size="xs" c={item.state === 'failed' ? 'red' : 'dimmed'}>
            {problem.text} <Code fz={11}>{problem.code}</Code>
          </Text>
        )}
      </Table.Td>
      <Table.Td w={110}>{t(`sources.itemStates.${item.state}`)}</Table.Td>
      <Table.Td w={60} c="dimmed" ta="right">
        {item.http_status ?? ''}
      </Table.Td>
    </Table.Tr>
  );
}
