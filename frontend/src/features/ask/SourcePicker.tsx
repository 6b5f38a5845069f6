/** The chooser in the composer: tick knowledge bases, or ask an application. */
import { Button, Checkbox, Group, Popover, Radio, ScrollArea, Stack, Text } from '@mantine/core';
import { IconBooks, IconChevronDown, IconLayoutGrid } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Sources } from './sources';
import { useSourceChoices } from './sources';

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
  const face = (
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
  );
  if (!onChange) {
    return (
      <Group gap={8} wrap="nowrap" pl={8} c="dimmed" fz="sm">
        <Icon size={16} aria-hidden />
        <Text size="sm" truncate>
          {label()}
        </Text>
      </Group>
    );
  }
  const toggle = (id: string, checked: boolean) => {
    const ids = value.kind === 'bases' ? value.ids : [];
    const next = checked ? [...ids, id] : ids.filter((other) => other !== id);
    onChange(next.length === 0 ? { kind: 'all' } : { kind: 'bases', ids: next });
  };
  return (
    <Popover width={300} position="top-start" shadow="lg" trapFocus>
      <Popover.Target>{face}</Popover.Target>
      <Popover.Dropdown p="sm" aria-label={t('ask.where')}>
        <ScrollArea.Autosize mah={360} type="auto">
          <Stack gap="xs" p={4}>
            <Text size="xs" fw={600} c="dimmed">
              {t('shell.knowledge')}
            </Text>
            <Checkbox
              label={t('ask.allBases')}
              checked={value.kind === 'all'}
              onChange={() => onChange({ kind: 'all' })}
              data-autofocus
            />
            {bases.map((base) => (
              <Checkbox
                key={base.id}
                label={base.name}
                checked={value.kind === 'bases' && value.ids.includes(base.id)}
                onChange={(event) => toggle(base.id, event.currentTarget.checked)}
              />
            ))}
            {applications.length > 0 && (
              <Radio.Group
                value={value.kind === 'application' ? value.id : null}
                onChange={(id) => onChange({ kind: 'application', id })}
                aria-label={t('shell.applications')}
              >
                <Text size="xs" fw={600} c="dimmed" mt="xs" mb="xs">
                  {t('shell.applications')}
                </Text>
                <Stack gap="xs">
                  {applications.map((application) => (
                    <Radio key={application.id} value={application.id} label={application.name} />
                  ))}
                </Stack>
              </Radio.Group>
            )}
          </Stack>
        </ScrollArea.Autosize>
      </Popover.Dropdown>
    </Popover>
  );
}
