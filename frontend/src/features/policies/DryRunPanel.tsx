/** What would happen: the rules as they stand, tried on a made-up failure. No model is asked. */
import { Button, Group, List, Select, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ProblemError } from '../../api';
import { listModelsOptions } from '../../api/generated/@tanstack/react-query.gen';
import { dryRunFallback } from '../../api/generated/sdk.gen';
import type { DryRun, DryRunStep, PolicyView } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { useProblemWords } from '../../components/useProblemText';
import classes from './Policies.module.css';
import { type HappeningName, happeningNames, happenings, type Rule } from './rules';

interface Props {
  rules: Rule[];
  isReady: boolean;
  policy: PolicyView | null;
}

export function DryRunPanel({ rules, isReady, policy }: Props) {
  const { t } = useTranslation();
  const models = useQuery(listModelsOptions());
  const [modelId, setModelId] = useState<string | null>(policy?.models[0]?.id ?? null);
  const [happening, setHappening] = useState<HappeningName>('unavailable');
  const run = useMutation({
    mutationFn: async (model: string) =>
      (
        await dryRunFallback({
          body: { model_id: model, happening: happenings[happening], rules },
          throwOnError: true,
        })
      ).data,
  });
  return (
    <section className={classes.rule} aria-labelledby="dry-run-title">
      <Title order={3} size="h6" id="dry-run-title">
        {t('policies.dryRun')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('policies.dryRunText')}
      </Text>
      <Group align="flex-end" grow>
        <Select
          label={t('policies.model')}
          data={(models.data?.items ?? [])
            .filter((model) => model.provider !== 'embedded')
            .map((model) => ({ value: model.id, label: model.name }))}
          value={modelId}
          onChange={setModelId}
          searchable
        />
        <Select
          label={t('policies.whatIf')}
          data={happeningNames.map((name) => ({ value: name, label: t(`policies.happenings.${name}`) }))}
          value={happening}
          onChange={(value) => value && setHappening(value as HappeningName)}
          allowDeselect={false}
        />
      </Group>
      <Button
        mt="sm"
        variant="light"
        disabled={!isReady || !modelId}
        loading={run.isPending}
        onClick={() => modelId && run.mutate(modelId)}
      >
        {t('policies.tryIt')}
      </Button>
      <div aria-live="polite">
        {run.error && <Problem error={run.error} />}
        {run.data && <Steps run={run.data} />}
      </div>
    </section>
  );
}

function Steps({ run }: { run: DryRun }) {
  const { t } = useTranslation();
  const words = useProblemWords();
  // A rule's own message is said as it was written.
  const refusal =
    run.code === 'model-call-rejected'
      ? run.message
      : words(new ProblemError(0, { code: run.code, title: run.message, details: run.details })).text;
  return (
    <Stack gap="xs" mt="sm">
      <List type="ordered" size="sm" spacing={6}>
        {run.steps.map((step) => (
          <List.Item key={`${step.model.id}-${step.attempt}-${step.outcome}`}>
            <StepText step={step} />
          </List.Item>
        ))}
      </List>
      <Text size="sm" fw={600} c={run.ok ? 'green' : 'red'}>
        {run.answered_by
          ? t('policies.answeredBy', { model: run.answered_by.name, ms: run.waited_ms })
          : t('policies.endsWith', { message: refusal })}
      </Text>
    </Stack>
  );
}

function StepText({ step }: { step: DryRunStep }) {
  const { t } = useTranslation();
  return (
    <>
      {t(`policies.outcomes.${step.outcome}`, {
        model: step.model.name,
        ms: step.took_ms,
        reason: step.reason,
      })}{' '}
      {step.rules.map((look) => (
        <Text key={look.rule} component="span" size="xs" c="dimmed" display="block">
          {t('policies.look', { number: look.rule, what: t(`policies.looks.${look.code}`) })}
        </Text>
      ))}
      {step.truncated_to && (
        <Text component="span" size="xs" c="dimmed" display="block">
          {t('policies.cut', { tokens: step.truncated_to })}
        </Text>
      )}
    </>
  );
}
