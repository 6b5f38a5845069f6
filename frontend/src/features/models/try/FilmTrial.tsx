/** Films from words, or from words and a picture. A job that can be left: the latest are shown again. */
import { Autocomplete, Button, Group, NumberInput, Stack, Textarea } from '@mantine/core';
import { IconMovie } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  listModelFilmsOptions,
  listModelFilmsQueryKey,
} from '../../../api/generated/@tanstack/react-query.gen';
import { tryModelFilm } from '../../../api/generated/sdk.gen';
import { Problem } from '../../../components/Problem';
import { FilmJob } from './FilmJob';
import { toBase64 } from './files';
import { PictureField } from './PictureField';
import type { TrialProps } from './TryOut';

const shown = 5;

export function FilmTrial({ model, offer }: TrialProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const needsPicture = model.kind === 'ITV';
  const [prompt, setPrompt] = useState('');
  const [size, setSize] = useState('');
  const [seconds, setSeconds] = useState<number | string>('');
  const [picture, setPicture] = useState<File | null>(null);
  const path = { model_id: model.id };
  const films = useQuery(listModelFilmsOptions({ path }));
  const film = useMutation({
    mutationFn: async () => {
      const body = {
        prompt,
        size: size.trim() || null,
        seconds: typeof seconds === 'number' ? seconds : null,
        picture: picture ? await toBase64(picture) : null,
      };
      return (await tryModelFilm({ path, body, throwOnError: true })).data;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: listModelFilmsQueryKey({ path }) }),
  });
  const isReady = needsPicture ? picture !== null : prompt.trim() !== '';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) film.mutate();
      }}
    >
      <Stack>
        {needsPicture && <PictureField picture={picture} onPicture={setPicture} required />}
        <Textarea
          label={t('models.try.scene')}
          autosize
          minRows={2}
          maxRows={8}
          value={prompt}
          onChange={(event) => setPrompt(event.currentTarget.value)}
        />
        <Group grow align="flex-end">
          <Autocomplete
            label={t('models.try.size')}
            placeholder={t('models.try.sizeOwn')}
            data={offer?.sizes ?? []}
            value={size}
            onChange={setSize}
          />
          <NumberInput
            label={t('models.try.seconds')}
            placeholder={t('models.try.sizeOwn')}
            min={1}
            max={120}
            value={seconds}
            onChange={setSeconds}
          />
        </Group>
        <Group>
          <Button
            type="submit"
            leftSection={<IconMovie size={16} />}
            loading={film.isPending}
            disabled={!isReady}
          >
            {t('models.try.film')}
          </Button>
        </Group>
        {film.error && <Problem error={film.error} />}
        {films.error && <Problem error={films.error} onRetry={films.refetch} />}
        {(films.data?.items ?? []).slice(0, shown).map((one) => (
          <FilmJob key={one.id} film={one} />
        ))}
      </Stack>
    </form>
  );
}
