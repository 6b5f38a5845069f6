import { Alert, Button, Group, Text } from '@mantine/core';
import { IconArrowBackUp, IconGitCompare } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ParagraphView } from '../../api/generated/types.gen';
import { useParagraphActions } from './useParagraphActions';

interface Props {
  paragraph: ParagraphView;
  documentId: string;
  editable: boolean;
}

/** A newer file says something else where a person had written: both are kept until somebody decides. */
export function EditConflict({ paragraph, documentId, editable }: Props) {
  const { t } = useTranslation();
  const { revert } = useParagraphActions(documentId, paragraph);
  return (
    <Alert color="yellow" mb="sm" icon={<IconGitCompare size={18} />} title={t('paragraphs.conflict')}>
      <Text size="sm" className="rd-serif" style={{ whiteSpace: 'pre-wrap' }}>
        {paragraph.source?.content}
      </Text>
      {editable && (
        <Group mt="sm">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconArrowBackUp size={14} />}
            loading={revert.isPending}
            onClick={() => revert.mutate()}
          >
            {t('paragraphs.takeFile')}
          </Button>
        </Group>
      )}
    </Alert>
  );
}
