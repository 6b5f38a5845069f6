/** A text, spoken. */
import { Autocomplete, Button, Group, Stack, Textarea } from '@mantine/core';
import { IconVolume } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { tryModelSpeech } from '../../../api/generated/sdk.gen';
import { Problem } from '../../../components/Problem';
import type { TrialProps } from './TryOut';
import { useObjectUrl } from './useObjectUrl';

export function SpeakTrial({ model, offer }: TrialProps) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [voice, setVoice] = useState('');
  const speak = useMutation({
    mutationFn: async () => {
      const body = { text, voice: voice.trim() || null };
      const path = { model_id: model.id };
      const spoken = await tryModelSpeech({ path, body, parseAs: 'blob', throwOnError: true });
      return spoken.data as Blob;
    },
  });
  const url = useObjectUrl(speak.data);
  const own = typeof model.parameters.voice === 'string' ? model.parameters.voice : offer?.voices[0];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) speak.mutate();
      }}
    >
      <Stack>
        <Textarea
          label={t('models.try.say')}
          autosize
          minRows={2}
          maxRows={8}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Autocomplete
          label={t('models.voice')}
          placeholder={own ?? ''}
          data={offer?.voices ?? []}
          value={voice}
          onChange={setVoice}
        />
        <Group>
          <Button
            type="submit"
            leftSection={<IconVolume size={16} />}
            loading={speak.isPending}
            disabled={!text.trim()}
          >
            {t('models.try.speak')}
          </Button>
        </Group>
        {speak.error && <Problem error={speak.error} />}
        {url && (
          // biome-ignore lint/a11y/useMediaCaption: it says the text above
          <audio controls src={url} aria-label={t('models.try.spoken')} style={{ width: '100%' }} />
        )}
      </Stack>
    </form>
  );
}
