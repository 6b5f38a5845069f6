import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconArrowBackUp, IconScissors } from '@tabler/icons-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { codePointsBefore } from '../../api/codePointOffset';
import type { ParagraphView } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { useParagraphActions } from './useParagraphActions';

interface Props {
  paragraph: ParagraphView;
  documentId: string;
  onDone: () => void;
}

/** Editing in place; only this paragraph is indexed again. Sends its revision, so no edit is lost unseen. */
export function ParagraphEditor({ paragraph, documentId, onDone }: Props) {
  const { t } = useTranslation();
  const { update, split, revert } = useParagraphActions(documentId, paragraph);
  const [title, setTitle] = useState(paragraph.title);
  const [content, setContent] = useState(paragraph.content);
  const field = useRef<HTMLTextAreaElement>(null);
  const dirty = title !== paragraph.title || content !== paragraph.content;
  const busy = update.isPending || split.isPending;
  const save = () => {
    if (dirty) update.mutate({ title, content }, { onSuccess: onDone });
    else onDone();
  };
  const cut = async () => {
    const offset = codePointsBefore(content, field.current?.selectionStart ?? 0);
    try {
      const saved = dirty ? await update.mutateAsync({ title, content }) : paragraph;
      await split.mutateAsync({ offset, after: saved.revision });
      onDone();
    } catch {
      // Shown below the field; what was typed stays.
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      if (event.shiftKey) cut();
      else save();
    }
    if (event.key === 'Escape' && !dirty) onDone();
  };
  const error = update.error ?? split.error;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
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
          ref={field}
          label={t('document.paragraphContent')}
          autosize
          autoFocus
          minRows={3}
          maxRows={24}
          value={content}
          onChange={(event) => setContent(event.currentTarget.value)}
        />
        {error && <Problem error={error} />}
        <Group justify="space-between">
          <Group gap="xs">
            <Button
              size="xs"
              variant="default"
              leftSection={<IconScissors size={14} />}
              loading={split.isPending}
              onClick={cut}
            >
              {t('paragraphs.split')}
            </Button>
            {paragraph.is_edited && paragraph.source && (
              <Button
                size="xs"
                variant="default"
                leftSection={<IconArrowBackUp size={14} />}
                loading={revert.isPending}
                onClick={() => revert.mutate(undefined, { onSuccess: onDone })}
              >
                {t('paragraphs.takeBack')}
              </Button>
            )}
          </Group>
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={onDone}>
              {t('common.cancel')}
            </Button>
            <Button size="xs" type="submit" loading={busy} disabled={!content.trim()}>
              {t('common.save')}
            </Button>
          </Group>
        </Group>
        <Text size="xs" c="dimmed">
          {t('document.editHint')}
        </Text>
      </Stack>
    </form>
  );
}
