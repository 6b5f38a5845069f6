/** A document's paragraphs in reading order; opens around the one that was asked for. */
import { Button, Text } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { IconFileText } from '@tabler/icons-react';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { listParagraphsQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { listParagraphs } from '../../api/generated/sdk.gen';
import type { DocumentView, ParagraphView } from '../../api/generated/types.gen';
import { EmptyState } from '../../components/EmptyState';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { useHidden } from '../../components/undo';
import { isWorking } from '../knowledge/StateChip';
import { Paragraph } from './Paragraph';

export interface Target {
  id: string;
  start: number | null;
  length: number | null;
}

interface Place {
  cursor?: string;
  around?: string;
}

interface Props {
  document: DocumentView;
  target: Target | null;
  looked: string | null;
  onLook: (paragraph: ParagraphView) => void;
}

export function Paragraphs({ document, target, looked, onLook }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const hidden = useHidden();
  const path = { document_id: document.id };
  const around = target?.id;
  const queryKey = listParagraphsQueryKey({ path, query: { limit: 50, ...(around ? { around } : {}) } });
  const list = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) =>
      (await listParagraphs({ path, query: { limit: 50, ...pageParam }, signal, throwOnError: true })).data,
    initialPageParam: (around ? { around } : {}) as Place,
    getNextPageParam: (page): Place | null => (page.next_cursor ? { cursor: page.next_cursor } : null),
    getPreviousPageParam: (page): Place | null =>
      page.previous_cursor ? { cursor: page.previous_cursor } : null,
    refetchOnWindowFocus: false,
  });
  const { ref: endRef, entry } = useIntersection({ rootMargin: '600px' });
  const atEnd = entry?.isIntersecting ?? false;
  const { fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = list;
  useEffect(() => {
    if (atEnd && hasNextPage && !isFetchingNextPage) fetchNextPage();
  }, [atEnd, hasNextPage, isFetchingNextPage, fetchNextPage]);

  // While the document is being read its paragraphs appear; when that is over the list is read once more.
  const { state } = document;
  const working = isWorking(state);
  useEffect(() => {
    if (!working) refetch();
  }, [working, refetch]);

  const paragraphs = (list.data?.pages ?? [])
    .flatMap((page) => page.items)
    .filter((one) => !hidden.has(one.id));
  const targeted = around ? paragraphs.find((one) => one.id === around) : undefined;
  useEffect(() => {
    if (targeted) onLook(targeted);
  }, [targeted, onLook]);
  const refresh = () => client.invalidateQueries({ queryKey: [{ _id: queryKey[0]._id }] });

  if (list.isPending) return <Skeletons rows={6} height={72} />;
  if (list.error) return <Problem error={list.error} onRetry={list.refetch} />;
  if (paragraphs.length === 0) {
    return (
      <EmptyState
        icon={<IconFileText size={28} />}
        title={working ? t('document.beingRead') : t('document.noParagraphs')}
        text={working ? t('document.beingReadText') : t('document.noParagraphsText')}
      />
    );
  }
  return (
    <div>
      {around && !targeted && (
        <Text c="dimmed" mb="md" role="status">
          {t('document.paragraphGone')}
        </Text>
      )}
      {list.hasPreviousPage && (
        <Button
          variant="subtle"
          fullWidth
          mb="sm"
          loading={list.isFetchingPreviousPage}
          onClick={() => list.fetchPreviousPage()}
        >
          {t('document.earlier')}
        </Button>
      )}
      {paragraphs.map((paragraph, index) => (
        <Paragraph
          key={paragraph.id}
          paragraph={paragraph}
          previous={paragraphs[index - 1]}
          target={target?.id === paragraph.id ? target : null}
          looked={looked === paragraph.id}
          onLook={onLook}
          onChanged={refresh}
        />
      ))}
      <div ref={endRef}>{list.isFetchingNextPage && <Skeletons rows={2} height={72} />}</div>
    </div>
  );
}
