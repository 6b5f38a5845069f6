/** A connected source: what it is, how its last test went, and what can be done with it. */
import { ActionIcon, Badge, Button, Collapse, Group, Menu, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconDatabase,
  IconDots,
  IconPencil,
  IconPlugConnected,
  IconSearch,
  IconTrash,
  IconWorld,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { checkExternalSource, deleteExternalSource } from '../../api/generated/sdk.gen';
import type { ExternalSourceView } from '../../api/generated/types.gen';
import { CardHead } from '../../components/CardHead';
import { ConfirmDelete } from '../../components/ConfirmDelete';
import { useNotify } from '../../components/useNotify';
import classes from './External.module.css';
import type { Kind } from './kinds';
import { type Check, SourceOutcome } from './SourceOutcome';
import { SourceSearch } from './SourceSearch';

interface Props {
  source: ExternalSourceView;
  onEdit: () => void;
  onChanged: () => unknown;
}

/** Where it is, as one line. */
function placeOf({ config }: ExternalSourceView): string {
  const { host, port, database, table, url, uri, collection } = config as Record<string, string | number>;
  if (host) return `${host}:${port}/${database} · ${table}`;
  return [url ?? uri, collection].filter(Boolean).join(' · ');
}

export function SourceCard({ source, onEdit, onChanged }: Props) {
  const { t } = useTranslation();
  const { failed } = useNotify();
  const [asking, ask] = useDisclosure(false);
  const [searching, search] = useDisclosure(false);
  const path = { source_id: source.id };
  const kind = source.kind as Kind;
  const check = useMutation({
    mutationFn: () => checkExternalSource({ path, throwOnError: true }),
    onSuccess: onChanged,
    onError: failed,
  });
  const Icon = kind === 'http' ? IconWorld : IconDatabase;
  return (
    <article className={`rd-card ${classes.card}`} aria-label={source.name}>
      <CardHead
        icon={<Icon size={20} stroke={1.7} />}
        name={source.name}
        heading="h3"
        badge={<Badge color="gray">{t(`external.kinds.${kind}`)}</Badge>}
        actions={
          <Group gap="xs" wrap="nowrap">
            <Button
              size="xs"
              variant="light"
              leftSection={<IconSearch size={15} />}
              aria-expanded={searching}
              aria-label={t('external.searchIn', { name: source.name })}
              onClick={search.toggle}
            >
              {t('external.search')}
            </Button>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlugConnected size={15} />}
              loading={check.isPending}
              aria-label={t('external.testNamed', { name: source.name })}
              onClick={() => check.mutate()}
            >
              {t('external.test')}
            </Button>
            <Menu position="bottom-end" width={200}>
              <Menu.Target>
                <ActionIcon aria-label={t('external.actions', { name: source.name })}>
                  <IconDots size={17} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item leftSection={<IconPencil size={15} />} onClick={onEdit}>
                  {t('common.edit')}
                </Menu.Item>
                <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={ask.open}>
                  {t('external.disconnect')}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </Group>
        }
      >
        <Text size="sm" c="dimmed" className={classes.place}>
          {placeOf(source)}
        </Text>
        <div className={classes.health}>
          {source.last_check ? (
            <SourceOutcome check={source.last_check as unknown as Check} />
          ) : (
            <Text size="sm" c="dimmed">
              {t('external.neverTested')}
            </Text>
          )}
        </div>
      </CardHead>
      <Collapse expanded={searching}>{searching && <SourceSearch source={source} />}</Collapse>
      <ConfirmDelete
        opened={asking}
        onClose={ask.close}
        name={source.name}
        title={t('external.disconnect')}
        loss={t('external.disconnectLoss')}
        onConfirm={async () => {
          await deleteExternalSource({ path, throwOnError: true });
          await onChanged();
        }}
      />
    </article>
  );
}
