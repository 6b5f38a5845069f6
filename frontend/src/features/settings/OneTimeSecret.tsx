import { ActionIcon, Alert, CopyButton, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy, IconKey } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** Something that is shown this once: a link or a key, with a button to copy it. */
export function OneTimeSecret({ label, value, note }: { label: string; value: string; note: string }) {
  const { t } = useTranslation();
  return (
    <Alert color="lamp" icon={<IconKey size={18} />} title={label}>
      <Stack gap="xs">
        <TextInput
          readOnly
          aria-label={label}
          value={value}
          onFocus={(event) => event.currentTarget.select()}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          rightSection={
            <CopyButton value={value}>
              {({ copied, copy }) => (
                <Tooltip label={copied ? t('common.copied') : t('common.copy')}>
                  <ActionIcon aria-label={t('common.copy')} onClick={copy}>
                    {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
                  </ActionIcon>
                </Tooltip>
              )}
            </CopyButton>
          }
        />
        <Text size="sm">{note}</Text>
      </Stack>
    </Alert>
  );
}
