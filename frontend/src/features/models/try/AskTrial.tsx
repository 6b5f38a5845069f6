/** A question to a chat model, or about a picture; what was said stays above the box. */
import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { tryModel } from '../../../api/generated/sdk.gen';
import type { TryAnswer } from '../../../api/generated/types.gen';
import { Problem } from '../../../components/Problem';
import { formatNumber } from '../../../i18n/format';
import { toBase64 } from './files';
import { PictureField } from './PictureField';
import type { TrialProps } from './TryOut';

interface Turn {
  question: string;
  answer: TryAnswer;
}

export function AskTrial({ model }: TrialProps) {
  const { t } = useTranslation();
  const needsPicture = model.kind === 'IMAGE';
  const [text, setText] = useState('');
  const [picture, setPicture] = useState<File | null>(null);
  const [turns, setTurns] = useState<Turn[]>([]);
  const ask = useMutation({
    mutationFn: async () => {
      const pictures = picture ? [await toBase64(picture)] : [];
      const body = { text, pictures };
      return (await tryModel({ path: { model_id: model.id }, body, throwOnError: true })).data;
    },
    onSuccess: (answer) => {
      setTurns((before) => [...before, { question: text, answer }]);
      setText('');
    },
  });
  const isReady = text.trim() !== '' && (!needsPicture || picture !== null);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) ask.mutate();
      }}
    >
      <Stack>
        <Stack gap="sm" aria-live="polite" mb={turns.length > 0 ? 0 : '-md'}>
          {turns.map(({ question, answer }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: turns are only ever added at the end
            <div key={index}>
              <Text size="sm" fw={600}>
                {question}
              </Text>
              {answer.reasoning && (
                <Text size="xs" c="dimmed" style={{ whiteSpace: 'pre-wrap' }}>
                  {answer.reasoning}
                </Text>
              )}
              <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
                {answer.text}
              </Text>
              <Text size="xs" c="dimmed">
                {t('models.try.took', { ms: formatNumber(Math.round(answer.latency_ms)) })}
                {answer.output_tokens != null &&
                  ` · ${t('models.try.tokens', {
                    input: formatNumber(answer.input_tokens ?? 0),
                    output: formatNumber(answer.output_tokens),
                  })}`}
              </Text>
            </div>
          ))}
        </Stack>
        <PictureField picture={picture} onPicture={setPicture} required={needsPicture} />
        <Textarea
          label={t('models.try.question')}
          autosize
          minRows={2}
          maxRows={8}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {ask.error && <Problem error={ask.error} />}
        <Group>
          <Button
            type="submit"
            leftSection={<IconSend size={16} />}
            loading={ask.isPending}
            disabled={!isReady}
          >
            {t('models.try.send')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
