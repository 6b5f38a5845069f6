/**
 * The paragraphs of a document in reading order. Only those near the window are in the page, however many there
 * are: a feed in the sense of ARIA, each paragraph an article that can be reached and worked on by keyboard.
 */
import { Text } from '@mantine/core';
import { IconFileText } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DocumentView, ParagraphView } from '../../api/generated/types.gen';
import { EmptyState } from '../../components/EmptyState';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { useHidden } from '../../components/undo';
import { isWorking } from '../knowledge/StateChip';
import { ParagraphCard } from './ParagraphCard';
import classes from './ParagraphFeed.module.css';
import { pageSize, refreshParagraphs, useFirstPage, useParagraphRows } from './useParagraphPages';

/** The paragraph that was asked for; start and length mark a passage in it. `place` is its number from 0. */
export interface Target {
  id: string;
  place: number;
  start: number | null;
  length: number | null;
}

interface Props {
  document: DocumentView;
  version: number | null;
  q: string;
  editable: boolean;
  target: Target | null;
  looked: string | null;
  onLook: (paragraph: ParagraphView) => void;
}

/** Documents up to this length are in the page as a whole, so that the browser's own search finds everything. */
const wholeUpTo = 300;

export function ParagraphFeed({ document, version, q, editable, target, looked, onLook }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const hidden = useHidden();
  const list = useRef<HTMLDivElement>(null);
  const [editing, setEditing] = useState<ReadonlyMap<string, number>>(new Map());
  const source = useMemo(() => ({ documentId: document.id, version, q }), [document.id, version, q]);
  const opening = q ? 0 : Math.floor((target?.place ?? 0) / pageSize);
  const first = useFirstPage(source, opening);
  const total = first.data?.total ?? 0;
  const margin = useMargin(list, total > 0);
  const ids = useRef(new Map<number, string>());

  const virtualizer = useWindowVirtualizer({
    count: total,
    estimateSize: () => 150,
    overscan: total <= wholeUpTo ? total : 8,
    scrollMargin: margin,
    useFlushSync: false,
    getItemKey: (index) => ids.current.get(index) ?? index,
    // What is being edited stays in the page, wherever one scrolls meanwhile.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), ...editing.values()])]
        .filter((index) => index < range.count)
        .sort((a, b) => a - b),
  });
  const items = virtualizer.getVirtualItems();
  const wanted = [...new Set(items.map((item) => Math.floor(item.index / pageSize)))].join();
  const pages = useMemo(() => wanted.split(',').filter(Boolean).map(Number), [wanted]);
  const watch = document.state === 'ready' && version === null;
  const rows = useParagraphRows(source, pages, watch);
  ids.current = useMemo(() => new Map([...rows].map(([place, row]) => [place, row.id])), [rows]);

  // While the document is worked on its paragraphs appear; when that is over they are read once more.
  const working = isWorking(document.state);
  const wasWorking = useRef(working);
  useEffect(() => {
    if (wasWorking.current && !working) refreshParagraphs(client, document.id);
    wasWorking.current = working;
  }, [working, client, document.id]);

  const targetPlace = q || !target ? null : target.place;
  const ready = total > 0;
  useEffect(() => {
    if (ready && targetPlace !== null) virtualizer.scrollToIndex(targetPlace, { align: 'center' });
  }, [ready, targetPlace, virtualizer]);
  const targeted = target ? rows.get(target.place) : undefined;
  useEffect(() => {
    if (targeted && targeted.id === target?.id) onLook(targeted);
  }, [targeted, target?.id, onLook]);

  const edit = useCallback(
    (id: string, place: number | null) =>
      setEditing((known) => {
        const next = new Map(known);
        if (place === null) next.delete(id);
        else next.set(id, place);
        return next;
      }),
    [],
  );
  const conflicts = useMemo(
    () => new Set(document.warnings.flatMap((warning) => warning.paragraph_ids ?? [])),
    [document.warnings],
  );

  if (first.isPending) return <Skeletons rows={6} height={72} />;
  if (first.error) return <Problem error={first.error} onRetry={first.refetch} />;
  if (total === 0) {
    if (q) return <Text c="dimmed">{t('common.nothingFound')}</Text>;
    return (
      <EmptyState
        icon={<IconFileText size={28} />}
        title={working ? t('document.beingRead') : t('document.noParagraphs')}
        text={working ? t('document.beingReadText') : t('document.noParagraphsText')}
      />
    );
  }
  return (
    <div
      ref={list}
      role="feed"
      aria-label={t('document.text')}
      aria-busy={first.isFetching}
      className={classes.feed}
      style={{ height: virtualizer.getTotalSize() }}
    >
      {items.map((item) => {
        const paragraph = rows.get(item.index);
        const gone = paragraph && hidden.has(paragraph.id);
        return (
          <div
            key={item.key}
            ref={virtualizer.measureElement}
            data-index={item.index}
            className={classes.row}
            style={{ transform: `translateY(${item.start - margin}px)` }}
          >
            {paragraph && !gone && (
              <ParagraphCard
                paragraph={paragraph}
                previous={rows.get(item.index - 1)}
                place={item.index}
                total={total}
                documentId={document.id}
                target={target?.id === paragraph.id ? target : null}
                looked={looked === paragraph.id}
                conflict={conflicts.has(paragraph.id)}
                editable={editable}
                editing={editing.has(paragraph.id)}
                indexes={version === null && !document.is_draft}
                onEdit={edit}
                onLook={onLook}
              />
            )}
            {!paragraph && <div className={classes.waiting} aria-hidden />}
          </div>
        );
      })}
    </div>
  );
}

/** How far down in the window's document the list begins; what is above it may grow and shrink. */
function useMargin(list: React.RefObject<HTMLDivElement | null>, shown: boolean): number {
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => {
    if (!shown) return;
    const measure = () => {
      const top = list.current?.getBoundingClientRect().top;
      if (top !== undefined) setMargin(Math.round(top + window.scrollY));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(window.document.body);
    return () => observer.disconnect();
  }, [list, shown]);
  return margin;
}
