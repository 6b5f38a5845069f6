/** One paragraph: to read, to mark in the original, and to work on with the pointer or by keyboard. */
import { Badge, Group } from '@mantine/core';
import { type KeyboardEvent, memo, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ParagraphView } from '../../api/generated/types.gen';
import { EditConflict } from './EditConflict';
import { headingOf } from './heading';
import classes from './Paragraph.module.css';
import { ParagraphAdder } from './ParagraphAdder';
import { ParagraphEditor } from './ParagraphEditor';
import { ParagraphFacts } from './ParagraphFacts';
import type { Target } from './ParagraphFeed';
import { ParagraphQuestions } from './ParagraphQuestions';
import { ParagraphText } from './ParagraphText';
import { ParagraphTools } from './ParagraphTools';
import { useParagraphActions } from './useParagraphActions';

/** Where nothing can hover the tools are always there. */
const touch = window.matchMedia('(hover: none)').matches;

interface Props {
  paragraph: ParagraphView;
  previous: ParagraphView | undefined;
  place: number;
  total: number;
  documentId: string;
  target: Target | null;
  looked: boolean;
  conflict: boolean;
  editable: boolean;
  editing: boolean;
  /** False for what is never indexed: drafts and earlier versions. */
  indexes: boolean;
  onEdit: (id: string, place: number | null) => void;
  onLook: (paragraph: ParagraphView) => void;
}

export const ParagraphCard = memo(function ParagraphCard(props: Props) {
  const { paragraph, previous, place, total, documentId, target, looked, conflict, editable, editing } =
    props;
  const { indexes, onEdit, onLook } = props;
  const { t } = useTranslation();
  const actions = useParagraphActions(documentId, paragraph);
  // The tools of a paragraph nobody is at would cost more than its text when one scrolls through thousands.
  const [near, setNear] = useState(touch);
  const [adding, setAdding] = useState(false);
  const [asking, setAsking] = useState(false);
  const [facts, setFacts] = useState(false);
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (target) card.current?.focus({ preventScroll: true });
  }, [target]);
  const startEdit = () => onEdit(paragraph.id, place);
  const endEdit = () => {
    onEdit(paragraph.id, null);
    card.current?.focus({ preventScroll: true });
  };
  const look = () => {
    setNear(true);
    onLook(paragraph);
  };
  const isLast = place === total - 1;
  const heading = headingOf(paragraph);
  const pageTurned = paragraph.page !== null && paragraph.page !== previous?.page;

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== card.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      const next = card.current
        ?.closest('[role="feed"]')
        ?.querySelector<HTMLElement>(`[data-place="${place + step}"]`);
      if (next) {
        event.preventDefault();
        next.focus();
      }
      return;
    }
    if (!editable) return;
    const keys: Record<string, (() => void) | undefined> = {
      Enter: startEdit,
      e: startEdit,
      m: isLast ? undefined : () => actions.merge.mutate(),
      a: () => setAdding(true),
      q: () => setAsking(true),
      x: () => actions.toggle.mutate(),
      Delete: actions.remove,
    };
    const act = keys[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  };

  return (
    <article
      ref={card}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the articles of a feed take the focus
      tabIndex={0}
      data-place={place}
      aria-posinset={place + 1}
      aria-setsize={total}
      aria-label={target ? t('document.citedParagraph') : t('paragraphs.number', { n: place + 1, heading })}
      className={classes.paragraph}
      data-target={target !== null || undefined}
      data-looked={looked || undefined}
      data-busy={actions.merge.isPending || undefined}
      onMouseEnter={look}
      onFocus={look}
      onKeyDown={onKeyDown}
    >
      {pageTurned && <span className={classes.page}>{t('common.page', { page: paragraph.page })}</span>}
      {heading && (!previous || heading !== headingOf(previous)) && (
        <h2 className={classes.heading}>{heading}</h2>
      )}
      {editing ? (
        <ParagraphEditor paragraph={paragraph} documentId={documentId} onDone={endEdit} />
      ) : (
        <>
          <div className={paragraph.is_active ? undefined : classes.inactive}>
            <ParagraphText content={paragraph.content} target={target} />
          </div>
          {conflict && paragraph.source && (
            <EditConflict paragraph={paragraph} documentId={documentId} editable={editable} />
          )}
          {(paragraph.questions.length > 0 || asking) && (
            <ParagraphQuestions
              paragraph={paragraph}
              documentId={documentId}
              editable={editable}
              asking={asking}
              onAsked={() => setAsking(false)}
            />
          )}
          <Group gap={6} className={classes.foot}>
            {!paragraph.is_active && <Badge color="gray">{t('document.inactive')}</Badge>}
            {paragraph.is_edited && <Badge color="yellow">{t('document.edited')}</Badge>}
            {indexes && !paragraph.is_indexed && <Badge>{t('document.notIndexed')}</Badge>}
            {editable && near && (
              <ParagraphTools
                paragraph={paragraph}
                isLast={isLast}
                actions={actions}
                onEdit={startEdit}
                onAdd={() => setAdding(true)}
                onAsk={() => setAsking(true)}
                onFacts={() => setFacts(true)}
              />
            )}
          </Group>
        </>
      )}
      {facts && (
        <ParagraphFacts paragraph={paragraph} documentId={documentId} onClose={() => setFacts(false)} />
      )}
      {adding && <ParagraphAdder documentId={documentId} after={paragraph} onDone={() => setAdding(false)} />}
    </article>
  );
});
