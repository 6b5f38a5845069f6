/** The tree as a file: download it, or take one in. */
import { Button, Checkbox, FileInput, Group, Menu, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDownload, IconUpload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { importIntents } from '../../api/generated/sdk.gen';
import type { IntentImport } from '../../api/generated/types.gen';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { useNotify } from '../../components/useNotify';

const formats = ['json', 'yaml', 'csv'] as const;

const formatOf = (name: string): IntentImport['format'] => {
  if (/\.ya?ml$/i.test(name)) return 'yaml';
  return /\.csv$/i.test(name) ? 'csv' : 'json';
};

interface Props {
  applicationId: string;
  onImported: () => unknown;
}

export function IntentFiles({ applicationId, onImported }: Props) {
  const { t } = useTranslation();
  const { done } = useNotify();
  const [opened, dialog] = useDisclosure(false);
  const [file, setFile] = useState<File | null>(null);
  const [replace, setReplace] = useState(false);
  const take = useMutation({
    mutationFn: async (chosen: File) =>
      (
        await importIntents({
          path: { application_id: applicationId },
          body: { content: await chosen.text(), format: formatOf(chosen.name), replace },
          throwOnError: true,
        })
      ).data,
    onSuccess: (taken) => {
      done([t('intents.imported', { ...taken }), ...taken.warnings].join(' '));
      setFile(null);
      dialog.close();
      onImported();
    },
  });
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button variant="default" leftSection={<IconDownload size={17} aria-hidden />}>
            {t('intents.export')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {formats.map((format) => (
            <Menu.Item
              key={format}
              component="a"
              href={`/api/v1/applications/${applicationId}/intents/export?format=${format}`}
              download={`intents.${format}`}
            >
              {t(`intents.formats.${format}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button variant="default" leftSection={<IconUpload size={17} aria-hidden />} onClick={dialog.open}>
        {t('intents.import')}
      </Button>
      <Dialog opened={opened} onClose={dialog.close} title={t('intents.importTitle')}>
        <Stack>
          <Text size="sm">{t('intents.importText')}</Text>
          <FileInput
            label={t('intents.file')}
            placeholder={t('intents.chooseFile')}
            accept=".json,.yaml,.yml,.csv"
            value={file}
            onChange={setFile}
            clearable
          />
          <Checkbox
            label={t('intents.replace')}
            description={t('intents.replaceHint')}
            checked={replace}
            onChange={(event) => setReplace(event.currentTarget.checked)}
          />
          {take.error && <Problem error={take.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={dialog.close}>
              {t('common.cancel')}
            </Button>
            <Button disabled={!file} loading={take.isPending} onClick={() => file && take.mutate(file)}>
              {t('intents.import')}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
