/** What a Python tool was before its changes; one can be taken back into the form. */
import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listStoredToolVersionsOptions } from '../../../api/generated/@tanstack/react-query.gen';
import type { StoredToolVersionView } from '../../../api/generated/types.gen';
import { Problem } from '../../../components/Problem';
import { Skeletons } from '../../../components/Skeletons';
import { formatDateTime } from '../../../i18n/format';

interface Props {
  toolId: string;
  onTake: (version: StoredToolVersionView) => void;
}

export function EarlierVersions({ toolId, onTake }: Props) {
  const { t } = useTranslation();
  const versions = useQuery(listStoredToolVersionsOptions({ path: { tool_id: toolId } }));
  if (versions.isPending) return <Skeletons rows={2} height={60} />;
  if (versions.error) return <Problem error={versions.error} onRetry={versions.refetch} />;
  return (
    <Stack>
      {versions.data.items.map((version) => (
        <div key={version.version}>
          <Group justify="space-between" mb={4}>
            <Text size="sm">
              {t('storedTools.python.version', {
                number: version.version,
                date: formatDateTime(version.created_at),
              })}
            </Text>
            <Button size="compact-xs" variant="default" onClick={() => onTake(version)}>
              {t('storedTools.python.takeBack')}
            </Button>
          </Group>
          <Code block mah={160} style={{ overflow: 'auto' }}>
            {version.code}
          </Code>
        </div>
      ))}
    </Stack>
  );
}
