/** One question with one setting. */
import { Button, Paper, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { runHitTest } from '../../api/generated/sdk.gen';
import type { HitTestRequest, KnowledgeBaseView } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { Explain, type Subject } from './Explain';
import classes from './HitTest.module.css';
import { Outcome } from './Outcome';
import { QuestionField } from './QuestionField';
import { SettingsFields } from './SettingsFields';
import { defaultSettings, searchSettings } from './settings';

export function SingleTest({ base }: { base: KnowledgeBaseView }) {
  const { t } = useTranslation();
  const [query, setQuery] = useState('');
  const [settings, setSettings] = useState(() => defaultSettings([base.id]));
  const [subject, setSubject] = useState<Subject | null>(null);
  const explain = useRef<HTMLDivElement>(null);
  const test = useMutation({
    mutationFn: async (body: HitTestRequest) => (await runHitTest({ body, throwOnError: true })).data,
  });
  const run = () => {
    if (query.trim()) test.mutate({ query: query.trim(), ...searchSettings(settings) });
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
          <QuestionField value={query} onChange={setQuery} onRun={run} />
          <SettingsFields value={settings} onChange={setSettings} />
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
        {test.data && (
          <Stack>
            <div ref={explain}>
              <Explain request={test.variables} subject={subject} onSubject={setSubject} />
            </div>
            <Outcome
              result={test.data}
              onExplain={(id) => {
                setSubject({ paragraph_id: id });
                explain.current?.scrollIntoView({ block: 'start', behavior: 'smooth' });
              }}
            />
          </Stack>
        )}
      </div>
    </div>
  );
}
