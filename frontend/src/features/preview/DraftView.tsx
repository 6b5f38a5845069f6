/** One file of a preview: its paragraphs to work on, with the original beside them. */
import { Alert, Button, Group, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAdjustments, IconAlertTriangle, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DocumentView } from '../../api/generated/types.gen';
import { DocumentBody } from '../document/DocumentBody';
import { DocumentFailureNotice } from '../document/DocumentFailureNotice';
import { DocumentWarnings } from '../document/DocumentWarnings';

interface Props {
  draft: DocumentView;
  /** Opens the settings where they have no column of their own. */
  onSettings: (() => void) | null;
}

export function DraftView({ draft, onSettings }: Props) {
  const { t } = useTranslation();
  const [words, setWords] = useState('');
  const [q] = useDebouncedValue(words.trim(), 250);
  return (
    <>
      {draft.error && <DocumentFailureNotice document={draft} error={draft.error} />}
      {draft.warnings.length > 0 && (
        <Alert
          color="yellow"
          mb="md"
          icon={<IconAlertTriangle size={18} />}
          title={t('knowledge.warningCount', { count: draft.warnings.length })}
        >
          <DocumentWarnings document={draft} />
        </Alert>
      )}
      <Group mb="sm" gap="sm" wrap="nowrap">
        <TextInput
          flex={1}
          leftSection={<IconSearch size={16} />}
          aria-label={t('paragraphs.find')}
          placeholder={t('paragraphs.find')}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
        {onSettings && (
          <Button variant="default" leftSection={<IconAdjustments size={17} />} onClick={onSettings}>
            {t('preview.settings')}
          </Button>
        )}
      </Group>
      {!draft.error && (
        <DocumentBody
          document={draft}
          version={null}
          q={q}
          editable={draft.state === 'draft'}
          target={null}
          wideFrom="85em"
        />
      )}
    </>
  );
}
