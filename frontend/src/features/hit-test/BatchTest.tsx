/** Many questions at once: pasted or from a file, with one setting or two; kept as a test set if wanted. */
import { Button, FileButton, Group, Paper, Stack, Switch, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDeviceFloppy, IconFileImport } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { KnowledgeBaseView, QuestionInput } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { formatNumber } from '../../i18n/format';
import { decode, readFile, readPasted } from './batchInput';
import classes from './HitTest.module.css';
import { RunView } from './RunView';
import { SaveTestSet } from './SaveTestSet';
import { SettingsFields } from './SettingsFields';
import { defaultSettings, searchSettings, type TestSettings } from './settings';
import { useRun } from './useRun';

/** As many as the server takes at once. */
const mostQuestions = 2000;

export function BatchTest({ base }: { base: KnowledgeBaseView }) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const [text, setText] = useState('');
  const [file, setFile] = useState<{ name: string; questions: QuestionInput[] } | null>(null);
  const [a, setA] = useState(() => defaultSettings([base.id]));
  const [b, setB] = useState<TestSettings>(() => ({ ...defaultSettings([base.id]), mode: 'keywords' }));
  const [two, setTwo] = useState(false);
  const [asked, setAsked] = useState<QuestionInput[]>([]);
  const [saving, save] = useDisclosure(false);
  const forget = useRef<() => void>(null);
  const { runs, start, stop, isRunning } = useRun();
  const questions = file ? file.questions : readPasted(text);
  const run = () => {
    const given = questions.slice(0, mostQuestions);
    setAsked(given);
    start(
      (two ? [a, b] : [a]).map((settings) => ({
        url: '/api/v1/hit-test/batch',
        body: { ...searchSettings(settings), questions: given },
      })),
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
          {file ? (
            <Group>
              <Text>{t('hitTest.fromFile', { name: file.name, count: file.questions.length })}</Text>
              <Button size="xs" variant="default" onClick={() => setFile(null)}>
                {t('common.clear')}
              </Button>
            </Group>
          ) : (
            <Textarea
              label={t('hitTest.questions')}
              description={t('hitTest.questionsHint')}
              placeholder={t('hitTest.questionsPlaceholder')}
              autosize
              minRows={5}
              maxRows={16}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )}
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
            <Button type="submit" disabled={questions.length === 0} loading={isRunning}>
              {t('hitTest.runAll', { count: Math.min(questions.length, mostQuestions) })}
            </Button>
            <FileButton
              resetRef={forget}
              accept=".csv,.tsv,.txt"
              onChange={async (chosen) => {
                // The same file can be chosen again, changed meanwhile.
                forget.current?.();
                if (chosen) {
                  setFile({ name: chosen.name, questions: readFile(decode(await chosen.arrayBuffer())) });
                }
              }}
            >
              {(props) => (
                <Button {...props} variant="default" leftSection={<IconFileImport size={16} />}>
                  {t('hitTest.takeFile')}
                </Button>
              )}
            </FileButton>
            {mayWrite && (
              <Button
                variant="default"
                leftSection={<IconDeviceFloppy size={16} />}
                disabled={questions.length === 0}
                onClick={save.open}
              >
                {t('hitTest.saveSet')}
              </Button>
            )}
          </Group>
          {questions.length > mostQuestions && (
            <Text size="sm" className={classes.worse}>
              {t('hitTest.tooMany', { most: formatNumber(mostQuestions) })}
            </Text>
          )}
        </Stack>
      </Paper>
      <RunView runs={runs} count={asked.length} name={base.name} onStop={stop} onRetry={run} />
      <SaveTestSet opened={saving} onClose={save.close} bases={a.bases} questions={questions} />
    </Stack>
  );
}
