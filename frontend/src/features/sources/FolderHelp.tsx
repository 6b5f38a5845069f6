import { Button, Code, CopyButton, Group, Modal, Stack, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { KnowledgeBaseView } from '../../api/generated/types.gen';

interface Props {
  base: KnowledgeBaseView;
  opened: boolean;
  onClose: () => void;
}

/** As the command line calls it. */
const keepOption = '--keep';

/** A browser cannot watch a folder; the command line can. */
export function FolderHelp({ base, opened, onClose }: Props) {
  const { t } = useTranslation();
  const command = `refdesk kb add "${base.name.replaceAll('"', '\\"')}" ./documents`;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="lg"
      title={t('sources.aFolder')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Stack>
        <Text size="sm">{t('sources.folderText')}</Text>
        <Code block>{command}</Code>
        <Group justify="space-between">
          <Text size="sm" c="dimmed" maw={380}>
            {t('sources.folderKeep')} <Code>{keepOption}</Code>
          </Text>
          <CopyButton value={command}>
            {({ copied, copy }) => (
              <Button
                variant="default"
                leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
                onClick={copy}
              >
                {copied ? t('common.copied') : t('common.copy')}
              </Button>
            )}
          </CopyButton>
        </Group>
      </Stack>
    </Modal>
  );
}
