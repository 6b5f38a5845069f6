import { Alert, Button, Group, Text } from '@mantine/core';
import { IconArrowBackUp, IconCheck, IconGitCompare } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ParagraphView } from '../../api/generated/types.gen';
import { useConflicts } from './useConflicts';

interface Props {
  paragraph: ParagraphView;
  documentId: string;
  editable: boolean;
}

/** A newer file says something else where a person had written: both are kept until somebody decides. */
export function EditConflict({ paragraph, documentId, editable }: Props) {
  const { t } = useTranslation();
  const decide = useConflicts(documentId);
  const keep = (keep: 'mine' | 'theirs') =>
    decide.mutate({ body: { keep, paragraph_ids: [paragraph.id] }, count: 1 });
  const deciding = decide.isPending ? decide.variables.body.keep : null;
  return (
    <Alert color="yellow" mb="sm" icon={<IconGitCompare size={18} />} title={t('paragraphs.conflict')}>
      <Text size="sm" className="rd-serif" style={{ whiteSpace: 'pre-wrap' }}>
        {paragraph.source?.content}
      </Text>
      {editable && (
        <Group mt="sm" gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconCheck size={14} />}
            loading={deciding === 'mine'}
            onClick={() => keep('mine')}
          >
            {t('paragraphs.keepMine')}
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconArrowBackUp size={14} />}
            loading={deciding === 'theirs'}
            onClick={() => keep('theirs')}
          >
            {t('paragraphs.takeFile')}
          </Button>
        </Group>
      )}
    </Alert>
  );
}
