/** Files on their way, each with its progress, and those that were refused with the reason. */
import { ActionIcon, Code, Group, Progress, Text } from '@mantine/core';
import { IconRefresh, IconX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useProblemText } from '../../components/useProblemText';
import { formatBytes, formatPercent } from '../../i18n/format';
import classes from './UploadList.module.css';
import { dismissUpload, retryUpload, type Upload } from './uploads';

export function UploadList({ uploads }: { uploads: Upload[] }) {
  const { t } = useTranslation();
  if (uploads.length === 0) return null;
  return (
    <ul className={classes.list} aria-label={t('knowledge.uploads')}>
      {uploads.map((upload) => (
        <Row key={upload.id} upload={upload} />
      ))}
    </ul>
  );
}

function Row({ upload }: { upload: Upload }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const problem = useProblemText(upload.problem);
  const isFailed = upload.state === 'failed';
  return (
    <li className={classes.row} data-failed={isFailed || undefined}>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" fw={550} truncate>
          {upload.file.name}
        </Text>
        <Group gap={6} wrap="nowrap">
          <Text size="xs" c="dimmed">
            {upload.state === 'sending' ? formatPercent(upload.progress) : formatBytes(upload.file.size)}
          </Text>
          {isFailed && (
            <ActionIcon
              size="sm"
              aria-label={t('knowledge.sendAgain', { name: upload.file.name })}
              onClick={() => retryUpload(upload.id, client)}
            >
              <IconRefresh size={15} />
            </ActionIcon>
          )}
          <ActionIcon
            size="sm"
            aria-label={t('knowledge.dismissUpload', { name: upload.file.name })}
            onClick={() => dismissUpload(upload.id)}
          >
            <IconX size={15} />
          </ActionIcon>
        </Group>
      </Group>
      {isFailed ? (
        <Text size="sm" className={classes.problem} role="alert">
          {problem.message} {problem.hint} <Code>{problem.code}</Code>
        </Text>
      ) : (
        <Progress
          value={upload.progress * 100}
          size={4}
          mt={6}
          aria-label={t('knowledge.uploading', { name: upload.file.name })}
        />
      )}
    </li>
  );
}
