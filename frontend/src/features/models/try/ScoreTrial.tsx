/** A question and texts, scored by an embedding model or a reranker. */
import { Button, Group, Progress, Stack, Table, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { tryModel } from '../../../api/generated/sdk.gen';
import { Problem } from '../../../components/Problem';
import { formatNumber, formatScore } from '../../../i18n/format';
import type { TrialProps } from './TryOut';

export function ScoreTrial({ model }: TrialProps) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [lines, setLines] = useState('');
  const texts = lines
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const score = useMutation({
    mutationFn: async (asked: { text: string; texts: string[] }) =>
      (await tryModel({ path: { model_id: model.id }, body: asked, throwOnError: true })).data,
  });
  const isReady = text.trim() !== '' && (model.kind === 'EMBEDDING' || texts.length > 0);
  const scores = score.data?.scores ?? [];
  const scored = score.variables?.texts ?? [];
  const best = Math.max(...scores.map(Math.abs), 1e-9);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) score.mutate({ text, texts });
      }}
    >
      <Stack>
        <TextInput
          label={t('models.try.question')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Textarea
          label={t('models.try.texts')}
          description={t('models.try.textsHint')}
          autosize
          minRows={3}
          maxRows={10}
          value={lines}
          onChange={(event) => setLines(event.currentTarget.value)}
        />
        <Group>
          <Button type="submit" loading={score.isPending} disabled={!isReady}>
            {t('models.try.score')}
          </Button>
        </Group>
        {score.error && <Problem error={score.error} />}
        {score.data && (
          <div aria-live="polite">
            {scores.length > 0 && (
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{t('models.try.text')}</Table.Th>
                    <Table.Th w={120}>{t('models.try.result')}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {scored.map((one, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: rows stand in the order they were asked
                    <Table.Tr key={index}>
                      <Table.Td>{one}</Table.Td>
                      <Table.Td>
                        {formatScore(scores[index] ?? 0)}
                        <Progress value={(Math.max(scores[index] ?? 0, 0) / best) * 100} aria-hidden />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            )}
            <Text size="xs" c="dimmed">
              {t('models.try.took', { ms: formatNumber(Math.round(score.data.latency_ms)) })}
              {score.data.dimensions != null &&
                ` · ${t('models.dimensions', { count: score.data.dimensions })}`}
            </Text>
          </div>
        )}
      </Stack>
    </form>
  );
}
