import { Badge, Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { HitView } from '../../api/generated/types.gen';
import { formatScore } from '../../i18n/format';
import classes from './HitTest.module.css';

/** Characters beyond which a paragraph is folded at first. */
const foldFrom = 360;

interface Props {
  hit: HitView;
  rank: number | null;
  threshold: number;
  note?: string;
}

/** One paragraph with a bar for each score; the amber line is the threshold. */
export function HitRow({ hit, rank, threshold, note }: Props) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(hit.content.length <= foldFrom);
  const [start, end] = hit.piece;
  const place = [hit.page ? t('common.page', { page: hit.page }) : null, ...hit.title_chain, hit.title]
    .filter(Boolean)
    .join(' › ');
  return (
    <article className={`rd-card ${classes.hit}`} data-dropped={rank === null || undefined}>
      <div className={classes.head}>
        {rank !== null && <Badge circle={false}>{rank}</Badge>}
        <Link
          to="/documents/$documentId"
          params={{ documentId: hit.document_id }}
          search={{ paragraph: hit.paragraph_id }}
          className={classes.name}
        >
          {hit.document_name}
        </Link>
        <Text component="span" size="xs" c="dimmed">
          {place}
        </Text>
        {note && (
          <Text component="span" size="xs" ml="auto" c="dimmed">
            {note}
          </Text>
        )}
      </div>
      <p className={classes.text} data-clamped={!open || undefined}>
        {hit.content.slice(0, start)}
        {end > start && end - start < hit.content.length ? (
          <mark>{hit.content.slice(start, end)}</mark>
        ) : (
          hit.content.slice(start, end)
        )}
        {hit.content.slice(Math.max(start, end))}
      </p>
      {hit.content.length > foldFrom && (
        <div className={classes.more}>
          <Button size="compact-xs" variant="subtle" onClick={() => setOpen(!open)} aria-expanded={open}>
            {open ? t('knowledge.readLess') : t('knowledge.readMore')}
          </Button>
        </div>
      )}
      <div className={classes.bars}>
        <Bar
          label={t('knowledge.scores.dense')}
          value={hit.dense?.calibrated ?? null}
          threshold={threshold}
        />
        <Bar
          label={t('knowledge.scores.lexical')}
          value={hit.lexical?.calibrated ?? null}
          threshold={threshold}
        />
        <Bar label={t('knowledge.scores.final')} value={hit.score} final />
      </div>
    </article>
  );
}

interface BarProps {
  label: string;
  value: number | null;
  threshold?: number;
  final?: boolean;
}

function Bar({ label, value, threshold, final }: BarProps) {
  const { t } = useTranslation();
  return (
    <>
      <span>{label}</span>
      <span className={classes.track} aria-hidden>
        {value !== null && (
          <span
            className={classes.fill}
            data-final={final}
            style={{ display: 'block', width: `${Math.min(1, Math.max(0, value)) * 100}%` }}
          />
        )}
        {threshold !== undefined && <span className={classes.line} style={{ left: `${threshold * 100}%` }} />}
      </span>
      <span className={classes.number}>{value === null ? t('knowledge.noScore') : formatScore(value)}</span>
    </>
  );
}
