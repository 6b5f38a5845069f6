/** The chooser in the composer: where a new conversation looks; in one that runs it only tells. */
import { Button, Group, Popover, Text } from '@mantine/core';
import { IconBooks, IconChevronDown, IconLayoutGrid } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { type Sources, useSourceChoices } from './sources';

const SourceChoices = lazy(() => import('./SourceChoices'));

interface Props {
  value: Sources;
  onChange?: (sources: Sources) => void;
}

export function SourcePicker({ value, onChange }: Props) {
  const { t } = useTranslation();
  const { bases, applications } = useSourceChoices();
  const label = () => {
    if (value.kind === 'application') {
      return applications.find((one) => one.id === value.id)?.name ?? t('ask.anApplication');
    }
    if (value.kind === 'all') return t('ask.allBases');
    const names = bases.filter((base) => value.ids.includes(base.id)).map((base) => base.name);
    return names.length === 1 ? names[0] : t('ask.someBases', { count: value.ids.length });
  };
  const Icon = value.kind === 'application' ? IconLayoutGrid : IconBooks;
  if (!onChange) {
    return (
      <Group gap={8} wrap="nowrap" pl={8} c="dimmed">
        <Icon size={16} aria-hidden />
        <Text size="sm" truncate>
          {label()}
        </Text>
      </Group>
    );
  }
  return (
    <Popover width={300} position="top-start" shadow="lg" trapFocus>
      <Popover.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          maw={260}
          fw={500}
          leftSection={<Icon size={16} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          aria-label={t('ask.whereToLook', { where: label() })}
        >
          {label()}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="sm" aria-label={t('ask.where')}>
        <Suspense>
          <SourceChoices value={value} onChange={onChange} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
