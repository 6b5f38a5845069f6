/** One paragraph: to read, to mark in the original, to edit in place, to take out of searches, to delete. */
import { ActionIcon, Badge, Group, Tooltip } from '@mantine/core';
import { IconEye, IconEyeOff, IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deleteParagraph, updateParagraph } from '../../api/generated/sdk.gen';
import type { ParagraphView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { useUndoableDelete } from '../../components/undo';
import { useNotify } from '../../components/useNotify';
import classes from './Paragraph.module.css';
import { ParagraphEditor } from './ParagraphEditor';
import type { Target } from './Paragraphs';
import { ParagraphText } from './ParagraphText';

interface Props {
  paragraph: ParagraphView;
  previous: ParagraphView | undefined;
  target: Target | null;
  looked: boolean;
  onLook: (paragraph: ParagraphView) => void;
  onChanged: () => unknown;
}

export function Paragraph({ paragraph, previous, target, looked, onLook, onChanged }: Props) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const { failed } = useNotify();
  const removeWithUndo = useUndoableDelete();
  const [editing, setEditing] = useState(false);
  const place = useRef<HTMLElement>(null);
  const path = { paragraph_id: paragraph.id };
  useEffect(() => {
    if (!target) return;
    place.current?.scrollIntoView({ block: 'center', behavior: 'instant' });
    place.current?.focus({ preventScroll: true });
  }, [target]);
  const toggle = useMutation({
    mutationFn: () =>
      updateParagraph({ path, body: { is_active: !paragraph.is_active }, throwOnError: true }),
    onSuccess: onChanged,
    onError: failed,
  });
  const remove = () =>
    removeWithUndo({
      ids: [paragraph.id],
      message: t('document.paragraphDeleted'),
      remove: () => deleteParagraph({ path, throwOnError: true }),
      onSettled: onChanged,
    });
  const heading = [...paragraph.title_chain, paragraph.title].filter(Boolean).join(' › ');
  const previousHeading = previous && [...previous.title_chain, previous.title].filter(Boolean).join(' › ');
  const pageTurned = paragraph.page !== null && paragraph.page !== previous?.page;

  return (
    <section
      ref={place}
      tabIndex={target ? -1 : undefined}
      className={classes.paragraph}
      data-target={target !== null || undefined}
      data-looked={looked || undefined}
      aria-label={target ? t('document.citedParagraph') : undefined}
      onMouseEnter={() => onLook(paragraph)}
      onFocus={() => onLook(paragraph)}
    >
      {pageTurned && <span className={classes.page}>{t('common.page', { page: paragraph.page })}</span>}
      {heading && heading !== previousHeading && <h2 className={classes.heading}>{heading}</h2>}
      {editing ? (
        <ParagraphEditor
          paragraph={paragraph}
          onDone={(changed) => {
            setEditing(false);
            if (changed) onChanged();
          }}
        />
      ) : (
        <>
          <div className={paragraph.is_active ? undefined : classes.inactive}>
            <ParagraphText content={paragraph.content} target={target} />
          </div>
          <Group gap={6} className={classes.foot}>
            {!paragraph.is_active && <Badge color="gray">{t('document.inactive')}</Badge>}
            {paragraph.is_edited && <Badge color="yellow">{t('document.edited')}</Badge>}
            {!paragraph.is_indexed && <Badge>{t('document.notIndexed')}</Badge>}
            {mayWrite && (
              <Group gap={2} className={classes.tools}>
                <Tooltip label={t('common.edit')}>
                  <ActionIcon
                    size="sm"
                    aria-label={t('document.editParagraph')}
                    onClick={() => setEditing(true)}
                  >
                    <IconPencil size={15} />
                  </ActionIcon>
                </Tooltip>
                <Tooltip label={paragraph.is_active ? t('document.deactivate') : t('document.activate')}>
                  <ActionIcon
                    size="sm"
                    aria-label={paragraph.is_active ? t('document.deactivate') : t('document.activate')}
                    loading={toggle.isPending}
                    onClick={() => toggle.mutate()}
                  >
                    {paragraph.is_active ? <IconEyeOff size={15} /> : <IconEye size={15} />}
                  </ActionIcon>
                </Tooltip>
                <Tooltip label={t('common.delete')}>
                  <ActionIcon size="sm" aria-label={t('document.deleteParagraph')} onClick={remove}>
                    <IconTrash size={15} />
                  </ActionIcon>
                </Tooltip>
              </Group>
            )}
          </Group>
        </>
      )}
    </section>
  );
}
