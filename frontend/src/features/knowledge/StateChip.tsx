/** Where a document stands: word, colour and, while it is worked on, how far. */
import { Badge, Group, Progress, Text } from '@mantine/core';
import { IconAlertCircle, IconBan, IconCheck, IconClock, IconEyeCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { DocumentView } from '../../api/generated/types.gen';
import { formatNumber } from '../../i18n/format';

const colors = {
  queued: 'gray',
  parsing: 'lamp',
  splitting: 'lamp',
  draft: 'gray',
  indexing: 'lamp',
  ready: 'lamp',
  failed: 'red',
  cancelled: 'gray',
} as const;

const icons = {
  queued: <IconClock size={13} />,
  parsing: null,
  splitting: null,
  draft: <IconEyeCheck size={13} />,
  indexing: null,
  ready: <IconCheck size={13} />,
  failed: <IconAlertCircle size={13} />,
  cancelled: <IconBan size={13} />,
};

export const isWorking = (state: DocumentView['state']) =>
  state === 'queued' || state === 'parsing' || state === 'splitting' || state === 'indexing';

type Standing = Pick<DocumentView, 'state' | 'progress_done' | 'progress_total' | 'name'>;

export function StateChip({ document }: { document: Standing }) {
  const { t } = useTranslation();
  const { state, progress_done: done, progress_total: total } = document;
  const label = t(`knowledge.states.${state}`);
  // Pages while it is read, paragraphs while it is indexed.
  if ((state === 'indexing' || state === 'parsing') && total > 0) {
    return (
      <Group gap={8} wrap="nowrap" miw={130}>
        <Progress.Root size={6} flex={1} miw={60}>
          <Progress.Section value={(done / total) * 100} aria-label={`${label}: ${document.name}`} />
        </Progress.Root>
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
          {`${formatNumber(done)} / ${formatNumber(total)}`}
        </Text>
      </Group>
    );
  }
  return (
    <Badge color={colors[state]} leftSection={icons[state]} miw="max-content">
      {label}
    </Badge>
  );
}
