import { Badge, Group, List, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ExplanationView, StandingView } from '../../api/generated/types.gen';
import { formatNumber, formatPercent, formatScore } from '../../i18n/format';
import { ClampedPassage } from '../paragraphs/ClampedPassage';
import { Bar, LegBar } from './HitRow';
import classes from './HitTest.module.css';

/** Words of the question with less of its weight are left out: they decide nothing. */
const leastWeight = 0.01;

export function Explanation({ found }: { found: ExplanationView }) {
  const { t } = useTranslation();
  const { subject, standing, paragraph } = found;
  return (
    <Stack gap="sm" className={classes.explanation} aria-live="polite">
      <div className={classes.verdict} data-found={found.reason === 'found'}>
        <Text fw={600}>
          {t(`hitTest.reasons.${found.reason}`, {
            rank: found.rank ?? 0,
            place: formatNumber(standing?.place ?? 0),
            candidates: formatNumber(standing?.candidates ?? 0),
            limit: formatNumber(standing?.limit ?? 0),
            topN: formatNumber(found.top_n),
            similarity: formatScore(standing?.similarity ?? 0),
            threshold: formatScore(found.threshold),
            best: formatScore(found.best),
            drop: formatScore(found.drop ?? 0),
          })}
        </Text>
        <Text size="sm">
          <Link
            to="/documents/$documentId"
            params={{ documentId: subject.document_id }}
            search={paragraph ? { paragraph: paragraph.id } : {}}
            className={classes.name}
          >
            {subject.document_name}
          </Link>{' '}
          {t('hitTest.subjectFacts', {
            state: t(`knowledge.states.${subject.state as 'ready'}`),
            indexed: formatNumber(subject.indexed),
            paragraphs: formatNumber(subject.paragraphs),
          })}
        </Text>
      </div>
      {found.notes.length > 0 && (
        <List size="sm" spacing={2}>
          {found.notes.map((note) => (
            <List.Item key={note}>{t(`hitTest.notes.${note}`)}</List.Item>
          ))}
        </List>
      )}
      {standing && <Numbers standing={standing} threshold={found.threshold} />}
      {paragraph && (
        <div>
          <Text size="xs" c="dimmed">
            {[t('hitTest.nearest'), ...paragraph.title_chain, paragraph.title].filter(Boolean).join(' › ')}
          </Text>
          <div className={classes.text}>
            <ClampedPassage text={paragraph.content} lines={4} unfolds />
          </div>
        </div>
      )}
    </Stack>
  );
}

function Numbers({ standing, threshold }: { standing: StandingView; threshold: number }) {
  const { t } = useTranslation();
  const words = standing.words.filter((word) => word.weight >= leastWeight);
  return (
    <>
      <div className={classes.bars}>
        {standing.dense && (
          <LegBar label={t('knowledge.scores.dense')} score={standing.dense} threshold={threshold} />
        )}
        {standing.lexical && (
          <LegBar label={t('knowledge.scores.lexical')} score={standing.lexical} threshold={threshold} />
        )}
        <Bar label={t('hitTest.together')} value={standing.similarity} threshold={threshold} />
        {standing.score !== null && <Bar label={t('knowledge.scores.final')} value={standing.score} final />}
      </div>
      <Text size="xs" c="dimmed">
        {t('hitTest.exactRanks', { limit: formatNumber(standing.limit) })}
      </Text>
      {words.length > 0 && (
        <div>
          <Text size="xs" c="dimmed" mb={4}>
            {t('hitTest.words')}
          </Text>
          <Group gap={6}>
            {words.map((word) => (
              <Badge
                key={word.word}
                tt="none"
                variant={word.held ? 'light' : 'default'}
                color={word.held ? 'lamp' : 'gray'}
                className={word.held ? undefined : classes.missing}
                title={t(
                  word.held ? 'hitTest.wordHeld' : word.known ? 'hitTest.wordMissing' : 'hitTest.wordUnknown',
                )}
              >
                {word.word} {formatPercent(word.weight)}
              </Badge>
            ))}
          </Group>
        </div>
      )}
    </>
  );
}
