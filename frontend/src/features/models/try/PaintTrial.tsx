/** A picture from words. */
import { Autocomplete, Button, Group, Image, Stack, Text, Textarea } from '@mantine/core';
import { IconPalette } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { tryModelPictures } from '../../../api/generated/sdk.gen';
import { Problem } from '../../../components/Problem';
import { formatNumber } from '../../../i18n/format';
import type { TrialProps } from './TryOut';

export function PaintTrial({ model, offer }: TrialProps) {
  const { t } = useTranslation();
  const [prompt, setPrompt] = useState('');
  const [size, setSize] = useState('');
  const paint = useMutation({
    mutationFn: async () => {
      const body = { prompt, size: size.trim() || null };
      return (await tryModelPictures({ path: { model_id: model.id }, body, throwOnError: true })).data;
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (prompt.trim()) paint.mutate();
      }}
    >
      <Stack>
        <Textarea
          label={t('models.try.prompt')}
          autosize
          minRows={2}
          maxRows={8}
          value={prompt}
          onChange={(event) => setPrompt(event.currentTarget.value)}
        />
        <Autocomplete
          label={t('models.try.size')}
          placeholder={t('models.try.sizeOwn')}
          data={offer?.sizes ?? []}
          value={size}
          onChange={setSize}
        />
        <Group>
          <Button
            type="submit"
            leftSection={<IconPalette size={16} />}
            loading={paint.isPending}
            disabled={!prompt.trim()}
          >
            {t('models.try.paint')}
          </Button>
        </Group>
        {paint.error && <Problem error={paint.error} />}
        {paint.data && (
          <div aria-live="polite">
            {paint.data.pictures.map((one, index) => (
              <Image
                // biome-ignore lint/suspicious/noArrayIndexKey: the pictures of one answer never change
                key={index}
                src={`data:${one.media_type};base64,${one.data}`}
                alt={prompt}
                radius="md"
              />
            ))}
            <Text size="xs" c="dimmed">
              {t('models.try.took', { ms: formatNumber(Math.round(paint.data.latency_ms)) })}
            </Text>
          </div>
        )}
      </Stack>
    </form>
  );
}
