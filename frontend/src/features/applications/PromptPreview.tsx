/** The messages a model would get for a question, a moment after each change; no model is asked for them. */
import { Group, Loader, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { previewPrompts } from '../../api/generated/sdk.gen';
import { Problem } from '../../components/Problem';
import { formatNumber } from '../../i18n/format';
import { PromptMessages } from '../trace/PromptMessages';
import classes from './Prompts.module.css';
import type { Situation } from './promptFaults';
import { type ApplicationValues, questionsOf, toBody } from './values';

interface Props {
  values: ApplicationValues;
  situation: Situation;
  applicationId?: string;
}

const waitMs = 500;

export function PromptPreview({ values, situation, applicationId }: Props) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<string | null>(null);
  const question = typed ?? questionsOf(values.suggested_questions)[0] ?? t('prompts.sampleQuestion');
  const { prompts, settings, knowledge_base_ids, model_id } = toBody(values);
  const [body] = useDebouncedValue(
    JSON.stringify({
      application_id: applicationId ?? null,
      knowledge_base_ids,
      model_id,
      prompts,
      settings,
      question: question.trim(),
      situation,
    }),
    waitMs,
  );
  const preview = useQuery({
    queryKey: ['prompt-preview', body],
    queryFn: async ({ signal }) =>
      (await previewPrompts({ body: JSON.parse(body), signal, throwOnError: true })).data,
    enabled: question.trim() !== '',
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 60_000,
  });
  const shown = preview.data;
  return (
    <section className={classes.preview} aria-label={t('prompts.preview')} aria-busy={preview.isFetching}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={3} size="h5">
            {t('prompts.preview')}
          </Title>
          {preview.isFetching && <Loader size={16} aria-hidden />}
        </Group>
        <TextInput
          label={t('prompts.tryQuestion')}
          value={question}
          maxLength={4000}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {preview.error && <Problem error={preview.error} onRetry={preview.refetch} />}
        {shown && !preview.error && (
          <>
            <Text size="sm" c="dimmed" aria-live="polite">
              {shown.messages.length === 0
                ? t('prompts.silent')
                : t('prompts.figures', {
                    tokens: formatNumber(shown.tokens),
                    room: formatNumber(shown.context_tokens),
                    sources: formatNumber(shown.sources),
                    left: formatNumber(shown.left_out),
                  })}
              {!shown.has_model && ` ${t('prompts.noModel')}`}
            </Text>
            <PromptMessages messages={shown.messages} />
          </>
        )}
      </Stack>
    </section>
  );
}
