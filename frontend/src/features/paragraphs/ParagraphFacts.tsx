/** What is known of a paragraph: as it was found, and as people say, which wins. */
import { Button, Group, NumberInput, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ParagraphView } from '../../api/generated/types.gen';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { useParagraphActions } from './useParagraphActions';

interface Props {
  paragraph: ParagraphView;
  documentId: string;
  onClose: () => void;
}

export function ParagraphFacts({ paragraph, documentId, onClose }: Props) {
  const { t } = useTranslation();
  const { update } = useParagraphActions(documentId, paragraph);
  const [own, setOwn] = useState<Record<string, unknown>>(paragraph.own_meta);
  const value = (key: string) => (key in own ? own[key] : paragraph.meta[key]);
  const say = (key: string, said: unknown) => setOwn((known) => ({ ...known, [key]: said }));
  const save = (meta: Record<string, unknown>) => update.mutate({ meta }, { onSuccess: onClose });
  const ocrText = value('ocr_text');
  const urls = value('image_url');
  return (
    <Dialog opened onClose={onClose} title={t('paragraphs.metadata')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save(own);
        }}
      >
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            {t('paragraphs.metadataText')}
          </Text>
          <Switch
            label={t('paragraphs.hasTable')}
            checked={value('has_table') === true}
            onChange={(event) => say('has_table', event.currentTarget.checked)}
          />
          <Switch
            label={t('paragraphs.hasImage')}
            checked={value('has_image') === true}
            onChange={(event) => say('has_image', event.currentTarget.checked)}
          />
          <TextInput
            label={t('paragraphs.imageType')}
            description={t('paragraphs.imageTypeHint')}
            maxLength={100}
            value={String(value('image_type') ?? '')}
            onChange={(event) => say('image_type', event.currentTarget.value || null)}
          />
          <TagsInput
            label={t('paragraphs.imageUrl')}
            value={Array.isArray(urls) ? urls.map(String) : []}
            onChange={(said) => say('image_url', said.length > 0 ? said : null)}
          />
          <NumberInput
            label={t('paragraphs.confidence')}
            description={t('paragraphs.confidenceHint')}
            min={0}
            max={1}
            step={0.05}
            decimalScale={3}
            value={Number(value('confidence_score') ?? 1)}
            onChange={(said) => typeof said === 'number' && say('confidence_score', said)}
          />
          {typeof ocrText === 'string' && (
            <div>
              <Text size="sm" fw={600}>
                {t('paragraphs.ocrText')}
              </Text>
              <Text size="sm" c="dimmed" lineClamp={6} style={{ whiteSpace: 'pre-wrap' }}>
                {ocrText}
              </Text>
            </div>
          )}
          {update.error && <Problem error={update.error} />}
          <Group justify="space-between">
            <Button
              variant="subtle"
              disabled={Object.keys(paragraph.own_meta).length === 0}
              onClick={() => save({})}
            >
              {t('paragraphs.asFound')}
            </Button>
            <Button type="submit" loading={update.isPending}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
