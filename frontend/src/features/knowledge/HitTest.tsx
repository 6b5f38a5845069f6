/** What a search finds, and the numbers that decided: for tuning a base before people rely on it. */
import { Button, Group, Paper, Select, Slider, Stack, Text, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { runHitTest } from '../../api/generated/sdk.gen';
import type { HitTestRequest, HitTestResult, KnowledgeBaseView } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { formatNumber, formatScore } from '../../i18n/format';
import { HitRow } from './HitRow';
import classes from './HitTest.module.css';

/** Candidates left out that are shown at first. */
const droppedShown = 4;
const modes = ['blend', 'embedding', 'keywords'] as const;

export function HitTest({ base }: { base: KnowledgeBaseView }) {
  const { t } = useTranslation();
  const [query, setQuery] = useState('');
  const [mode, setMode] = useState<(typeof modes)[number]>('blend');
  const [similarity, setSimilarity] = useState(0.45);
  const [topN, setTopN] = useState('5');
  const test = useMutation({
    mutationFn: async (body: HitTestRequest) => (await runHitTest({ body, throwOnError: true })).data,
  });
  const run = () => {
    if (!query.trim()) return;
    test.mutate({
      query: query.trim(),
      knowledge_base_ids: [base.id],
      mode,
      similarity,
      top_n: Number(topN),
    });
  };
  return (
    <div className={classes.layout}>
      <Paper
        component="form"
        className={`rd-card ${classes.form}`}
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <Stack>
          <Textarea
            label={t('knowledge.testQuestion')}
            placeholder={t('knowledge.testPlaceholder')}
            autosize
            minRows={2}
            maxRows={8}
            value={query}
            onChange={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
                event.preventDefault();
                run();
              }
            }}
          />
          <Select
            label={t('knowledge.mode')}
            description={t(`knowledge.modeHint.${mode}`)}
            value={mode}
            onChange={(value) => setMode(modes.find((one) => one === value) ?? 'blend')}
            data={modes.map((value) => ({ value, label: t(`knowledge.modes.${value}`) }))}
          />
          <div>
            <Text size="sm" fw={600} id="hit-threshold">
              {t('knowledge.threshold')}
            </Text>
            <Text size="xs" c="dimmed" mb={6}>
              {t('knowledge.thresholdHint')}
            </Text>
            <Slider
              value={similarity}
              onChange={setSimilarity}
              min={0}
              max={1}
              step={0.01}
              label={formatScore}
              thumbProps={{ 'aria-labelledby': 'hit-threshold' }}
              marks={[{ value: 0.45, label: formatScore(0.45) }]}
              mb="md"
            />
          </div>
          <Select
            label={t('knowledge.topN')}
            value={topN}
            onChange={(value) => setTopN(value ?? '5')}
            data={['3', '5', '10', '20', '50']}
          />
          <Button type="submit" loading={test.isPending} disabled={!query.trim()}>
            {t('knowledge.runTest')}
          </Button>
        </Stack>
      </Paper>
      <div className={classes.results} aria-live="polite">
        {test.isIdle && (
          <Text c="dimmed" pt="xs">
            {t('knowledge.testIntro')}
          </Text>
        )}
        {test.isPending && <Skeletons rows={4} height={88} />}
        {test.error && <Problem error={test.error} onRetry={run} />}
        {test.data && <Result result={test.data} />}
      </div>
    </div>
  );
}

function Result({ result }: { result: HitTestResult }) {
  const { t } = useTranslation();
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
      </div>
      {result.hits.map((hit, index) => (
        <HitRow key={hit.paragraph_id} hit={hit} rank={index + 1} threshold={result.threshold} />
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
              note={t(`knowledge.dropReason.${reason}`)}
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
