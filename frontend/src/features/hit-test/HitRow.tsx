import { Badge, Button, Text } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { HitView, LegScoreView } from '../../api/generated/types.gen';
import { formatDate, formatScore } from '../../i18n/format';
import { ClampedPassage } from '../paragraphs/ClampedPassage';
import classes from './HitTest.module.css';
import type { Move } from './moves';
import { passageOf } from './passageOf';

interface Props {
  hit: HitView;
  rank: number | null;
  threshold: number;
  note?: string;
  /** Whether the date took part in the order. */
  showsDate?: boolean;
  move?: Move;
  onExplain?: () => void;
}

/** One paragraph with a bar for each score; the amber line is the threshold. */
export function HitRow({ hit, rank, threshold, note, showsDate = false, move, onExplain }: Props) {
  const { t } = useTranslation();
  const place = [hit.page ? t('common.page', { page: hit.page }) : null, ...hit.title_chain, hit.title]
    .filter(Boolean)
    .join(' › ');
  const { window, ...passage } = passageOf(hit);
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
          {[place, hit.dated && showsDate && t('hitTest.dated', { date: formatDate(hit.dated) })]
            .filter(Boolean)
            .join(' · ')}
        </Text>
        {hit.by_question && (
          <Badge variant="default" size="sm">
            {t('hitTest.byQuestion')}
          </Badge>
        )}
        {hit.returns_directly && (
          <Badge variant="default" size="sm">
            {t('hitTest.answersDirectly')}
          </Badge>
        )}
        {move && <MoveBadge move={move} />}
        {note && (
          <Text component="span" size="xs" ml="auto" c="dimmed">
            {note}
          </Text>
        )}
        {onExplain && (
          <Button size="compact-xs" variant="subtle" onClick={onExplain}>
            {t('hitTest.why')}
          </Button>
        )}
      </div>
      <div className={classes.text}>
        <ClampedPassage {...passage} lines={4} unfolds />
        {window && (
          <Text size="xs" c="dimmed">
            {t('hitTest.window', window)}
          </Text>
        )}
      </div>
      <div className={classes.bars}>
        <LegBar label={t('knowledge.scores.dense')} score={hit.dense} threshold={threshold} />
        <LegBar label={t('knowledge.scores.lexical')} score={hit.lexical} threshold={threshold} />
        <Bar label={t('hitTest.together')} value={hit.similarity} threshold={threshold} />
        {hit.rerank_score !== null && <Bar label={t('hitTest.rerankScore')} value={hit.rerank_score} final />}
        <Bar label={t('knowledge.scores.final')} value={hit.score} final />
      </div>
    </article>
  );
}

export function MoveBadge({ move }: { move: Move }) {
  const { t } = useTranslation();
  if (move.kind === 'same') return null;
  if (move.kind === 'new' || move.kind === 'gone') {
    return (
      <Badge size="sm" variant="light" color={move.kind === 'new' ? 'lamp' : 'red'}>
        {t(`hitTest.moves.${move.kind}`)}
      </Badge>
    );
  }
  const Arrow = move.kind === 'up' ? IconArrowUp : IconArrowDown;
  return (
    <Badge
      size="sm"
      variant="light"
      color={move.kind === 'up' ? 'lamp' : 'yellow'}
      leftSection={<Arrow size={11} aria-hidden />}
      aria-label={t(`hitTest.moves.${move.kind}`, { by: move.by, from: move.from })}
    >
      {move.by}
    </Badge>
  );
}

export function LegBar({
  label,
  score,
  threshold,
}: {
  label: string;
  score: (Pick<LegScoreView, 'raw' | 'calibrated'> & { rank: number | null }) | null;
  threshold: number;
}) {
  const { t } = useTranslation();
  const detail = score
    ? t('hitTest.legDetail', { raw: formatScore(score.raw), rank: score.rank ?? t('knowledge.noScore') })
    : undefined;
  return <Bar label={label} value={score?.calibrated ?? null} threshold={threshold} detail={detail} />;
}

interface BarProps {
  label: string;
  value: number | null;
  threshold?: number;
  final?: boolean;
  detail?: string;
}

export function Bar({ label, value, threshold, final, detail }: BarProps) {
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
      <span className={classes.number}>
        {value === null ? t('knowledge.noScore') : formatScore(value)}
        {detail && <span className={classes.detail}> {detail}</span>}
      </span>
    </>
  );
}
