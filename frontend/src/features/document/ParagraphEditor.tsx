import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { updateParagraph } from '../../api/generated/sdk.gen';
import type { ParagraphView } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';

interface Props {
  paragraph: ParagraphView;
  onDone: (changed: boolean) => void;
}

/** Editing in place; only this paragraph is indexed again. Sends its revision, so no edit is lost unseen. */
export function ParagraphEditor({ paragraph, onDone }: Props) {
  const { t } = useTranslation();
  const [title, setTitle] = useState(paragraph.title);
  const [content, setContent] = useState(paragraph.content);
  const save = useMutation({
    mutationFn: () =>
      updateParagraph({
        path: { paragraph_id: paragraph.id },
        body: { title, content, revision: paragraph.revision },
        throwOnError: true,
      }),
    onSuccess: () => onDone(true),
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      save.mutate();
    }
    if (event.key === 'Escape' && title === paragraph.title && content === paragraph.content) onDone(false);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack gap="sm" onKeyDown={onKeyDown}>
        <TextInput
          label={t('document.paragraphTitle')}
          value={title}
          maxLength={2000}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <Textarea
          label={t('document.paragraphContent')}
          autosize
          autoFocus
          minRows={3}
          maxRows={24}
          value={content}
          onChange={(event) => setContent(event.currentTarget.value)}
        />
        {save.error && <Problem error={save.error} />}
        <Group justify="space-between">
          <Text size="xs" c="dimmed">
            {t('document.editHint')}
          </Text>
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={() => onDone(false)}>
              {t('common.cancel')}
            </Button>
            <Button size="xs" type="submit" loading={save.isPending} disabled={!content.trim()}>
              {t('common.save')}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}
