import { Button, Group, Paper, Stack, Switch, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TestSetView } from '../../api/generated/types.gen';
import classes from '../hit-test/HitTest.module.css';
import { RunView } from '../hit-test/RunView';
import { SettingsFields } from '../hit-test/SettingsFields';
import { defaultSettings, searchSettings, type TestSettings } from '../hit-test/settings';
import { useRun } from '../hit-test/useRun';

/** Runs a set with one setting, or with two to compare them. */
export function TestSetRun({ set }: { set: TestSetView }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const bases = set.knowledge_bases.map((base) => base.id);
  const [a, setA] = useState(() => defaultSettings(bases));
  const [b, setB] = useState<TestSettings>(() => ({ ...defaultSettings(bases), mode: 'keywords' }));
  const [two, setTwo] = useState(false);
  const { runs, start, stop, isRunning } = useRun();
  const run = async () => {
    await start(
      (two ? [a, b] : [a]).map((settings) => ({
        url: `/api/v1/test-sets/${set.id}/run`,
        body: searchSettings(settings),
      })),
    );
    await client.invalidateQueries();
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
          <div className={two ? classes.columns : undefined}>
            <section aria-label={t('hitTest.sides.a')}>
              {two && <Text fw={600}>{t('hitTest.sides.a')}</Text>}
              <SettingsFields value={a} onChange={setA} />
            </section>
            {two && (
              <section aria-label={t('hitTest.sides.b')}>
                <Text fw={600}>{t('hitTest.sides.b')}</Text>
                <SettingsFields value={b} onChange={setB} />
              </section>
            )}
          </div>
          <Switch
            label={t('hitTest.compareTwo')}
            checked={two}
            onChange={(event) => setTwo(event.currentTarget.checked)}
          />
          <Group>
            <Button
              type="submit"
              loading={isRunning}
              disabled={set.question_count === 0 || a.bases.length === 0}
            >
              {t('hitTest.runAll', { count: set.question_count })}
            </Button>
          </Group>
        </Stack>
      </Paper>
      <RunView runs={runs} count={set.question_count} name={set.name} onStop={stop} onRetry={run} />
    </Stack>
  );
}
