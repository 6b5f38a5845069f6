/** A question by voice: recorded here, written down by the workspace's model, and left to be looked over. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconMicrophone, IconPlayerStopFilled } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { transcribe } from '../../api/generated/sdk.gen';
import { useNotify } from '../../components/useNotify';
import { asWav } from '../models/try/wav';

interface Props {
  onText: (text: string) => void;
}

export function SpeechInput({ onText }: Props) {
  const { t } = useTranslation();
  const notify = useNotify();
  const recorder = useRef<MediaRecorder | null>(null);
  const [recording, setRecording] = useState(false);
  const write = useMutation({
    mutationFn: async (recorded: Blob) => {
      const sound = await asWav(recorded);
      const headers = { 'Content-Type': sound.type };
      return (await transcribe({ body: sound, headers, throwOnError: true })).data;
    },
    onSuccess: ({ text }) => onText(text),
    onError: (error) => notify.failed(error),
  });
  useEffect(
    () => () => {
      for (const track of recorder.current?.stream.getTracks() ?? []) track.stop();
    },
    [],
  );

  const begin = async () => {
    let stream: MediaStream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    } catch {
      notify.done(t('ask.noMicrophone'));
      return;
    }
    const parts: Blob[] = [];
    const made = new MediaRecorder(stream);
    made.ondataavailable = ({ data }) => parts.push(data);
    made.onstop = () => {
      for (const track of stream.getTracks()) track.stop();
      setRecording(false);
      write.mutate(new Blob(parts, { type: made.mimeType || 'audio/webm' }));
    };
    recorder.current = made;
    made.start();
    setRecording(true);
  };
  const label = t(recording ? 'ask.endRecording' : 'ask.speakQuestion');
  return (
    <Tooltip label={label}>
      <ActionIcon
        size={36}
        radius="xl"
        variant={recording ? 'filled' : 'subtle'}
        color={recording ? 'red' : 'gray'}
        loading={write.isPending}
        aria-pressed={recording}
        aria-label={label}
        onClick={() => (recording ? recorder.current?.stop() : begin())}
      >
        {recording ? <IconPlayerStopFilled size={16} /> : <IconMicrophone size={19} />}
      </ActionIcon>
    </Tooltip>
  );
}
