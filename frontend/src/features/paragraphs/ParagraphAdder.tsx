import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ParagraphView } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import classes from './Paragraph.module.css';
import { useParagraphActions } from './useParagraphActions';

interface Props {
  documentId: string;
  /** The paragraph it goes behind, in whose section it then is; null for a document without any. */
  after: ParagraphView | null;
  onDone: () => void;
}

/** A paragraph of one's own. */
export function ParagraphAdder({ documentId, after, onDone }: Props) {
  const { t } = useTranslation();
  const { add } = useParagraphActions(documentId);
  const [title, setTitle] = useState(after?.title ?? '');
  const [content, setContent] = useState('');
  const save = () => {
    if (!content.trim()) return;
    add.mutate(
      {
        title,
        content,
        ...(after ? { after: after.id, title_chain: after.title_chain } : {}),
      },
      { onSuccess: onDone },
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      save();
    }
    if (event.key === 'Escape' && !content) onDone();
  };
  return (
    <form
      className={classes.adder}
      aria-label={t('paragraphs.new')}
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
          label={t('paragraphs.newText')}
          autosize
          autoFocus
          minRows={3}
          maxRows={24}
          value={content}
          onChange={(event) => setContent(event.currentTarget.value)}
        />
        {add.error && <Problem error={add.error} />}
        <Group gap="xs" justify="flex-end">
          <Button size="xs" variant="default" onClick={onDone}>
            {t('common.cancel')}
          </Button>
          <Button size="xs" type="submit" loading={add.isPending} disabled={!content.trim()}>
            {t('paragraphs.add')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
