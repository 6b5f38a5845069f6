/** What one search found, what it left out and why, and how long each step took. */
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconHourglass } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { HitTestResult } from '../../api/generated/types.gen';
import { useDecisionText } from '../../components/useDecisionText';
import { useSearchWarningText } from '../../components/useSearchWarningText';
import { formatNumber, formatScore } from '../../i18n/format';
import { useStrategyName } from '../search/useStrategyName';
import { ChosenRoute } from './ChosenRoute';
import { HitRow } from './HitRow';
import classes from './HitTest.module.css';
import type { Move } from './moves';

/** Told with its number in a notice of its own. */
const unreadyCode = 'still-indexing';
/** Candidates left out that are shown at first. */
const droppedShown = 4;

interface Props {
  result: HitTestResult;
  moves?: Map<string, Move>;
  onExplain?: (paragraphId: string) => void;
}

export function Outcome({ result, moves, onExplain }: Props) {
  const { t } = useTranslation();
  const decisionText = useDecisionText();
  const warningText = useSearchWarningText();
  const strategyName = useStrategyName();
  const showsDate = result.strategy === 'time-aware';
  const [all, setAll] = useState(false);
  const milliseconds = Object.values(result.timings_ms).reduce((sum, ms) => sum + ms, 0);
  const total = result.timings_ms.total ?? milliseconds;
  return (
    <Stack gap="sm">
      <div className={classes.verdict} data-found={result.found}>
        <Text fw={600}>{result.found ? t('knowledge.found') : t('knowledge.notFound')}</Text>
        <Text size="sm">
          {t('knowledge.verdict', {
            best: formatScore(result.best),
            threshold: formatScore(result.threshold),
            candidates: formatNumber(result.candidates),
            ms: formatNumber(Math.round(total)),
          })}
        </Text>
        <Text size="sm">
          {[
            t(`knowledge.modes.${result.mode as 'blend'}`, result.mode),
            strategyName(result.strategy),
            ...(result.reranked ? [t('hitTest.reranked')] : []),
          ].join(' · ')}
        </Text>
        {result.decision && <Text size="sm">{decisionText(result.decision)}</Text>}
        <Timings timings={result.timings_ms} />
      </div>
      {result.unready > 0 && (
        <Alert color="yellow" icon={<IconHourglass size={18} />} role="status">
          {t('hitTest.unready', { count: result.unready })}
        </Alert>
      )}
      {result.warnings
        .filter(({ code }) => code !== unreadyCode)
        .map((warning) => (
          <Alert key={warning.code} color="yellow" icon={<IconAlertTriangle size={18} />} role="status">
            {warningText(warning)} <Code fz={11}>{warning.code}</Code>
          </Alert>
        ))}
      {result.route && <ChosenRoute route={result.route} />}
      {result.hits.map((hit, index) => (
        <HitRow
          key={hit.paragraph_id}
          hit={hit}
          rank={index + 1}
          threshold={result.threshold}
          showsDate={showsDate}
          move={moves?.get(hit.paragraph_id)}
        />
      ))}
      {result.dropped.length > 0 && (
        <>
          <Group mt="md">
            <Text size="sm" fw={600} c="dimmed">
              {t('knowledge.dropped', { count: result.dropped.length })}
            </Text>
          </Group>
          {result.dropped.slice(0, all ? undefined : droppedShown).map(({ hit, reason }) => (
            <HitRow
              key={hit.paragraph_id}
              hit={hit}
              rank={null}
              threshold={result.threshold}
              showsDate={showsDate}
              move={moves?.get(hit.paragraph_id)}
              note={t(`hitTest.reasonShort.${reason}`)}
              onExplain={onExplain && (() => onExplain(hit.paragraph_id))}
            />
          ))}
          {!all && result.dropped.length > droppedShown && (
            <Button variant="default" onClick={() => setAll(true)}>
              {t('knowledge.showDropped')}
            </Button>
          )}
        </>
      )}
    </Stack>
  );
}

const steps = ['indexes', 'embed', 'statistics', 'legs', 'paragraphs', 'judge', 'rerank'] as const;

function Timings({ timings }: { timings: Record<string, number> }) {
  const { t } = useTranslation();
  const known = steps.filter((step) => (timings[step] ?? 0) >= 0.05);
  return (
    <Text size="xs" c="dimmed" className={classes.number} ta="left">
      {known
        .map((step) =>
          t('hitTest.timing', { step: t(`hitTest.steps.${step}`), ms: (timings[step] ?? 0).toFixed(1) }),
        )
        .join(' · ')}
    </Text>
  );
}
