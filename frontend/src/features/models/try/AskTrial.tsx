/** A question to a chat model, or about a picture; what was said stays above the box. */
import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { tryModel } from '../../../api/generated/sdk.gen';
import type { TryAnswer, TryNotice } from '../../../api/generated/types.gen';
import { Problem } from '../../../components/Problem';
import { formatNumber } from '../../../i18n/format';
import { toBase64 } from './files';
import { PictureField } from './PictureField';
import type { TrialProps } from './TryOut';
import { useAnswerStream } from './useAnswerStream';

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
  const keep = (question: string, answer: TryAnswer) => {
    setTurns((before) => [...before, { question, answer }]);
    setText('');
  };
  const stream = useAnswerStream(model.id, keep);
  const ask = useMutation({
    mutationFn: async () => {
      const body = { text, pictures: picture ? [await toBase64(picture)] : [] };
      if (model.kind === 'LLM') return stream.ask(body);
      keep(text, (await tryModel({ path: { model_id: model.id }, body, throwOnError: true })).data);
    },
  });
  const error = ask.error ?? stream.error;
  const isReady = text.trim() !== '' && (!needsPicture || picture !== null);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) ask.mutate();
      }}
    >
      <Stack>
        <Stack gap="sm" aria-live="polite" mb={turns.length > 0 || stream.writing ? 0 : '-md'}>
          {turns.map(({ question, answer }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: turns are only ever added at the end
            <div key={index}>
              <Text size="sm" fw={600}>
                {question}
              </Text>
              <Said reasoning={answer.reasoning ?? ''} text={answer.text ?? ''} />
              {answer.notices?.map((notice) => (
                <NoticeText key={`${notice.code} ${JSON.stringify(notice.detail)}`} notice={notice} />
              ))}
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
          {stream.writing && (
            <div>
              <Text size="sm" fw={600}>
                {stream.writing.question}
              </Text>
              <Said reasoning={stream.writing.reasoning} text={stream.writing.text} />
            </div>
          )}
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
        {error != null && <Problem error={error} />}
        <Group>
          <Button
            type="submit"
            leftSection={<IconSend size={16} />}
            loading={ask.isPending}
            disabled={!isReady}
          >
            {t('models.try.send')}
          </Button>
          {ask.isPending && model.kind === 'LLM' && (
            <Button variant="default" onClick={stream.stop}>
              {t('models.try.stopAnswer')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function Said({ reasoning, text }: { reasoning: string; text: string }) {
  return (
    <>
      {reasoning && (
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'pre-wrap' }}>
          {reasoning}
        </Text>
      )}
      <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
        {text}
      </Text>
    </>
  );
}

/** What the gateway did to get the answer: another model may have given it. */
function NoticeText({ notice }: { notice: TryNotice }) {
  const { t } = useTranslation();
  const fact = (name: string) => String(notice.detail[name] ?? '');
  const words =
    notice.code === 'model-switched'
      ? t('models.try.switched', { from: fact('from'), to: fact('to') })
      : notice.code === 'context-truncated'
        ? t('models.try.cutTo', { tokens: fact('tokens') })
        : notice.code === 'retried'
          ? t('models.try.retriedOnce')
          : null;
  if (words === null) return null;
  return (
    <Text size="xs" c="dimmed">
      {words}
    </Text>
  );
}
