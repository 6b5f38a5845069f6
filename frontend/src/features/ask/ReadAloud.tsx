/** The answer by voice; pressed again it is silent. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconPlayerStop, IconVolume } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { readRunAloud } from '../../api/generated/sdk.gen';
import { useNotify } from '../../components/useNotify';

export function ReadAloud({ runId }: { runId: string }) {
  const { t } = useTranslation();
  const notify = useNotify();
  const player = useRef<HTMLAudioElement | null>(null);
  const [playing, setPlaying] = useState(false);
  const fetch = useMutation({
    mutationFn: async () =>
      (await readRunAloud({ path: { run_id: runId }, parseAs: 'blob', throwOnError: true })).data as Blob,
    onSuccess: async (sound) => {
      const address = URL.createObjectURL(sound);
      const audio = new Audio(address);
      const end = () => {
        URL.revokeObjectURL(address);
        setPlaying(false);
      };
      audio.onended = end;
      audio.onpause = end;
      audio.onerror = () => {
        end();
        notify.done(t('ask.cannotPlay'));
      };
      player.current = audio;
      setPlaying(true);
      await audio.play().catch(() => undefined);
    },
    onError: (error) => notify.failed(error),
  });
  useEffect(() => () => player.current?.pause(), []);
  const label = t(playing ? 'ask.stopReading' : 'ask.readAloud');
  return (
    <Tooltip label={label}>
      <ActionIcon
        aria-label={label}
        loading={fetch.isPending}
        onClick={() => (playing ? player.current?.pause() : fetch.mutate())}
      >
        {playing ? <IconPlayerStop size={17} /> : <IconVolume size={17} />}
      </ActionIcon>
    </Tooltip>
  );
}
