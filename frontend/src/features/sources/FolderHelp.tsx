import { Button, Code, CopyButton, Divider, Group, Stack, Text } from '@mantine/core';
import { IconCheck, IconCopy, IconFileZip } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { createSource } from '../../api/generated/sdk.gen';
import type { KnowledgeBaseView } from '../../api/generated/types.gen';
import { Dialog } from '../../components/Dialog';
import { useArchive } from './useArchive';

interface Props {
  base: KnowledgeBaseView;
  opened: boolean;
  onClose: () => void;
  onDone: () => unknown;
}

/** As the command line calls it. */
const keepOption = '--keep';

/** A browser cannot watch a folder; the command line can, and a ZIP can be sent from here. */
export function FolderHelp({ base, opened, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const archive = useArchive(
    async (file) => {
      const body = { kind: 'folder', name: file.name.slice(0, 200), config: {} } as const;
      const path = { knowledge_base_id: base.id };
      return (await createSource({ path, body, throwOnError: true })).data.id;
    },
    () => {
      onClose();
      onDone();
    },
  );
  const command = `refdesk kb add "${base.name.replaceAll('"', '\\"')}" ./documents`;
  return (
    <Dialog opened={opened} onClose={onClose} size="lg" title={t('sources.aFolder')}>
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
        <Divider />
        <Group justify="space-between">
          <Text size="sm" c="dimmed" maw={380}>
            {t('sources.zipText')}
          </Text>
          <Button
            variant="default"
            leftSection={<IconFileZip size={16} />}
            loading={archive.pending}
            onClick={() => archive.pick()}
          >
            {t('sources.zip')}
          </Button>
          {archive.input}
        </Group>
      </Stack>
    </Dialog>
  );
}
