/** One part of a run in full: what went in and came out, candidates, prompt, calls of models. */
import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { TraceCall, TraceSpan } from '../../api/generated/types.gen';
import { Facts } from '../../components/Facts';
import { Values } from '../../components/Values';
import { formatNumber } from '../../i18n/format';
import { useWordFor } from '../../i18n/useWordFor';
import { Calls } from './Calls';
import { Candidates } from './Candidates';
import { PromptMessages } from './PromptMessages';
import { shownCost, shownMs } from './times';
import { useSpanName } from './useSpanName';

export function SpanView({ span, calls }: { span: TraceSpan; calls: TraceCall[] }) {
  const { t } = useTranslation();
  const nameOf = useSpanName();
  const problemWord = useWordFor('problems');
  const details = Object.entries(span.detail ?? {}).filter(([, value]) => value !== null && value !== '');
  const facts = [
    t(`ask.stageState.${span.state}`),
    span.elapsed_ms != null && t('ask.milliseconds', { ms: shownMs(span.elapsed_ms) }),
    t('trace.beganAfter', { ms: shownMs(span.started_ms) }),
    span.usage &&
      t('trace.tokensOf', {
        given: formatNumber(span.usage.input_tokens ?? 0),
        written: formatNumber(span.usage.output_tokens ?? 0),
      }),
    ...(span.costs ?? []).map(shownCost),
  ];
  return (
    <Stack gap="md">
      <div>
        <Title order={2} size="h4">
          {nameOf(span)}
        </Title>
        <Text size="sm" c="dimmed" component="div">
          <Facts items={facts} />
        </Text>
        {span.error && (
          <Group gap="xs" mt={6}>
            <Badge color="red">{span.error}</Badge>
            <Text size="sm">{problemWord(span.error) ?? ''}</Text>
          </Group>
        )}
      </div>
      {details.length > 0 && (
        <Part title={t('trace.recorded')}>
          <Values
            raw
            label={t('trace.recorded')}
            values={Object.fromEntries(details)}
            numberText={formatNumber}
          />
        </Part>
      )}
      {span.candidates && (
        <Part title={t('trace.candidates')}>
          <Candidates candidates={span.candidates} />
        </Part>
      )}
      {span.prompt && (
        <Part title={t('trace.prompt')}>
          <PromptMessages messages={span.prompt} />
        </Part>
      )}
      {calls.length > 0 && (
        <Part title={t('trace.calls')}>
          <Calls calls={calls} />
        </Part>
      )}
    </Stack>
  );
}

interface PartProps {
  title: string;
  order?: 2 | 3;
  children: ReactNode;
}

export function Part({ title, order = 3, children }: PartProps) {
  return (
    <section>
      <Title order={order} size="h6" mb={6}>
        {title}
      </Title>
      {children}
    </section>
  );
}
