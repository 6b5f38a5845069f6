/** Which documents are listed: by state, attention, kind, use and metadata. */
import { Badge, Button, Group, Popover, Select, Stack, TagsInput } from '@mantine/core';
import { IconAlertTriangle, IconFilter } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { countConditions, type Filter, metaCondition, noFilter } from './documentFilter';
import { knownKinds } from './kinds';

const groups = ['all', 'working', 'ready', 'failed'] as const;
const uses = ['all', 'yes', 'no'] as const;

export function DocumentFilters({ value, onChange }: { value: Filter; onChange: (value: Filter) => void }) {
  const { t } = useTranslation();
  const set = (part: Partial<Filter>) => onChange({ ...value, ...part });
  const count = countConditions(value);
  return (
    <Group gap="sm">
      <Select
        w={140}
        aria-label={t('knowledge.state')}
        value={value.group}
        onChange={(chosen) => set({ group: groups.find((one) => one === chosen) ?? 'all' })}
        data={groups.map((one) => ({ value: one, label: t(`knowledge.stateGroups.${one}`) }))}
      />
      <Button
        variant={value.attention ? 'light' : 'default'}
        color={value.attention ? 'yellow' : undefined}
        leftSection={<IconAlertTriangle size={16} />}
        aria-pressed={value.attention}
        onClick={() => set({ attention: !value.attention })}
      >
        {t('knowledge.needAttention')}
      </Button>
      <Popover width={320} position="bottom-start" withinPortal trapFocus shadow="md">
        <Popover.Target>
          <Button
            variant={count > 0 ? 'light' : 'default'}
            leftSection={<IconFilter size={16} />}
            rightSection={count > 0 ? <Badge circle>{count}</Badge> : undefined}
          >
            {t('knowledge.filters')}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={t('knowledge.filters')}>
          <Stack gap="sm">
            <Select
              clearable
              searchable
              allowDeselect
              label={t('knowledge.kind')}
              placeholder={t('knowledge.anyKind')}
              value={value.kind}
              onChange={(kind) => set({ kind })}
              data={[...knownKinds]}
              comboboxProps={{ withinPortal: false }}
            />
            <Select
              label={t('knowledge.use')}
              value={value.active}
              onChange={(chosen) => set({ active: uses.find((one) => one === chosen) ?? 'all' })}
              data={uses.map((one) => ({ value: one, label: t(`knowledge.uses.${one}`) }))}
              comboboxProps={{ withinPortal: false }}
            />
            <TagsInput
              label={t('knowledge.metaFilter')}
              description={t('knowledge.metaFilterHint')}
              placeholder={t('knowledge.metaExample')}
              value={value.meta}
              onChange={(meta) => set({ meta: meta.filter((one) => metaCondition(one)) })}
              maxTags={5}
            />
            <Button variant="subtle" size="xs" onClick={() => onChange(noFilter)}>
              {t('knowledge.clearFilters')}
            </Button>
          </Stack>
        </Popover.Dropdown>
      </Popover>
    </Group>
  );
}
