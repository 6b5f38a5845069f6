/** Speech, recorded here or as a file, written down. */
import { Button, FileInput, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconMicrophone, IconPlayerStop, IconWaveSine } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { tryModel } from '../../../api/generated/sdk.gen';
import { Problem } from '../../../components/Problem';
import { formatBytes, formatNumber } from '../../../i18n/format';
import { maxRecordingBytes, toBase64 } from './files';
import type { TrialProps } from './TryOut';
import { useObjectUrl } from './useObjectUrl';
import { canRecord, useRecorder } from './useRecorder';

export function ListenTrial({ model }: TrialProps) {
  const { t } = useTranslation();
  const [file, setFile] = useState<File | null>(null);
  const [language, setLanguage] = useState('');
  const url = useObjectUrl(file);
  const recorder = useRecorder(useCallback((made: File) => setFile(made), []));
  const listen = useMutation({
    mutationFn: async (recording: File) => {
      const body = {
        recording: {
          data: await toBase64(recording),
          media_type: recording.type || 'audio/wav',
          name: recording.name,
        },
        language: language.trim() || null,
      };
      return (await tryModel({ path: { model_id: model.id }, body, throwOnError: true })).data;
    },
  });
  const isTooLarge = file !== null && file.size > maxRecordingBytes;
  return (
    <Stack>
      <Group align="flex-end">
        <FileInput
          flex={1}
          miw={200}
          label={t('models.try.recording')}
          placeholder={t('models.try.chooseRecording')}
          leftSection={<IconWaveSine size={16} />}
          accept="audio/*,video/mp4,video/webm"
          clearable
          clearButtonProps={{ 'aria-label': t('common.clear') }}
          value={file}
          onChange={setFile}
          error={isTooLarge ? t('models.try.tooLarge', { size: formatBytes(maxRecordingBytes) }) : null}
        />
        {canRecord() && (
          <Button
            variant="default"
            color={recorder.isRecording ? 'red' : undefined}
            leftSection={recorder.isRecording ? <IconPlayerStop size={16} /> : <IconMicrophone size={16} />}
            onClick={() => (recorder.isRecording ? recorder.stop() : recorder.start())}
          >
            {t(recorder.isRecording ? 'models.try.stop' : 'models.try.record')}
          </Button>
        )}
      </Group>
      {recorder.error !== null && (
        <Text size="sm" c="red" role="alert">
          {t('models.try.noMicrophone')}
        </Text>
      )}
      {url && (
        // biome-ignore lint/a11y/useMediaCaption: what is said in it is what the model is asked for
        <audio controls src={url} style={{ width: '100%' }} />
      )}
      <TextInput
        label={t('models.try.language')}
        description={t('models.try.languageHint')}
        w={220}
        value={language}
        onChange={(event) => setLanguage(event.currentTarget.value)}
      />
      <Group>
        <Button
          loading={listen.isPending}
          disabled={!file || isTooLarge}
          onClick={() => file && listen.mutate(file)}
        >
          {t('models.try.transcribe')}
        </Button>
      </Group>
      {listen.error && <Problem error={listen.error} />}
      {listen.data && (
        <div aria-live="polite">
          <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
            {listen.data.text || t('models.try.nothingHeard')}
          </Text>
          <Text size="xs" c="dimmed">
            {t('models.try.took', { ms: formatNumber(Math.round(listen.data.latency_ms)) })}
          </Text>
        </div>
      )}
    </Stack>
  );
}
