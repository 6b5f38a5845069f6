/** One question with two settings side by side; on a phone one at a time. */
import { Button, Paper, Stack, Tabs, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { runHitTest } from '../../api/generated/sdk.gen';
import type { HitTestResult, KnowledgeBaseView } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import classes from './HitTest.module.css';
import { movesOf } from './moves';
import { Outcome } from './Outcome';
import { QuestionField } from './QuestionField';
import { SettingsFields } from './SettingsFields';
import { defaultSettings, searchSettings, type TestSettings } from './settings';

const sides = ['a', 'b'] as const;

export function CompareTest({ base }: { base: KnowledgeBaseView }) {
  const { t } = useTranslation();
  const isNarrow = useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false });
  const [query, setQuery] = useState('');
  const [a, setA] = useState<TestSettings>(() => defaultSettings([base.id]));
  const [b, setB] = useState<TestSettings>(() => ({ ...defaultSettings([base.id]), mode: 'keywords' }));
  const test = useMutation({
    mutationFn: async (words: string) =>
      Promise.all(
        [a, b].map(
          async (settings) =>
            (await runHitTest({ body: { query: words, ...searchSettings(settings) }, throwOnError: true }))
              .data,
        ),
      ),
  });
  const run = () => {
    if (query.trim()) test.mutate(query.trim());
  };
  const [first, second] = test.data ?? [];
  const fields = {
    a: <SettingsFields value={a} onChange={setA} />,
    b: <SettingsFields value={b} onChange={setB} />,
  };
  const outcome = (side: (typeof sides)[number]) => {
    if (test.isPending) return <Skeletons rows={3} height={88} />;
    if (!first || !second) return null;
    // The first column is the one that is compared against: only what it alone has is marked in it.
    return side === 'a' ? (
      <Outcome result={first} moves={onlyIn(first, second)} />
    ) : (
      <Outcome result={second} moves={movesOf(second, first)} />
    );
  };
  return (
    <Stack>
      <Paper
        component="form"
        className={`rd-card ${classes.wideForm}`}
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <Stack>
          <QuestionField value={query} onChange={setQuery} onRun={run} />
          <Button type="submit" loading={test.isPending} disabled={!query.trim()} className={classes.action}>
            {t('hitTest.compare')}
          </Button>
        </Stack>
      </Paper>
      {test.error && <Problem error={test.error} onRetry={run} />}
      {isNarrow ? (
        <Tabs defaultValue="a">
          <Tabs.List grow mb="md">
            {sides.map((side) => (
              <Tabs.Tab key={side} value={side}>
                {t(`hitTest.sides.${side}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {sides.map((side) => (
            <Tabs.Panel key={side} value={side}>
              <Stack>
                <div className={`rd-card ${classes.wideForm}`}>{fields[side]}</div>
                {outcome(side)}
              </Stack>
            </Tabs.Panel>
          ))}
        </Tabs>
      ) : (
        <div className={classes.columns}>
          {sides.map((side) => (
            <Stack key={side} component="section" aria-label={t(`hitTest.sides.${side}`)}>
              <Text fw={600}>{t(`hitTest.sides.${side}`)}</Text>
              <div className={`rd-card ${classes.wideForm}`}>{fields[side]}</div>
              {outcome(side)}
            </Stack>
          ))}
        </div>
      )}
    </Stack>
  );
}

function onlyIn(here: HitTestResult, other: HitTestResult) {
  return new Map(
    [...movesOf(other, here)]
      .filter(([, move]) => move.kind === 'gone')
      .map(([id]) => [id, { kind: 'gone' as const }]),
  );
}
