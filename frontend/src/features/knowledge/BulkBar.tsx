/** What can be done with the chosen documents together. */
import { Button, Group, Menu, Text } from '@mantine/core';
import { type Icon, IconChevronDown, IconEye, IconEyeOff, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { rereadDocument, retryDocument, updateDocument } from '../../api/generated/sdk.gen';
import type { DocumentUpdate, DocumentView, FolderView } from '../../api/generated/types.gen';
import { useNotify } from '../../components/useNotify';
import { pathsOf } from '../access/folders';
import classes from './DocumentsTab.module.css';

interface Props {
  documents: DocumentView[];
  folders: FolderView[];
  onRemove: () => void;
  onClear: () => void;
  onChanged: () => unknown;
}

export function BulkBar({ documents, folders, onRemove, onClear, onChanged }: Props) {
  const { t } = useTranslation();
  const { failed } = useNotify();
  const each = useMutation({
    mutationFn: async ({ of, act }: { of: DocumentView[]; act: (id: string) => Promise<unknown> }) => {
      const results = await Promise.allSettled(of.map((one) => act(one.id)));
      const broken = results.find((result) => result.status === 'rejected');
      if (broken) throw broken.reason;
    },
    onSuccess: onClear,
    onError: failed,
    onSettled: onChanged,
  });
  const set = (of: DocumentView[], body: DocumentUpdate) =>
    each.mutate({
      of,
      act: (id) => updateDocument({ path: { document_id: id }, body, throwOnError: true }),
    });
  const retryable = documents.filter((one) => one.state === 'failed' || one.state === 'cancelled');
  const readable = documents.filter((one) => one.state === 'ready' && one.has_file);
  const retry = {
    of: retryable,
    act: (id: string) => retryDocument({ path: { document_id: id }, throwOnError: true }),
  };
  const reread = {
    of: readable,
    act: (id: string) => rereadDocument({ path: { document_id: id }, throwOnError: true }),
  };
  const active = documents.filter((one) => one.is_active);
  const inactive = documents.filter((one) => !one.is_active);
  const busy = { disabled: each.isPending };
  return (
    <Group className={classes.bulk} role="toolbar" aria-label={t('knowledge.bulk')}>
      <Text size="sm" fw={600}>
        {t('knowledge.selected', { count: documents.length })}
      </Text>
      {retryable.length > 0 && (
        <Action Icon={IconRefresh} label={t('common.retry')} onClick={() => each.mutate(retry)} {...busy} />
      )}
      {readable.length > 0 && (
        <Action
          Icon={IconRefresh}
          label={t('versions.reread')}
          onClick={() => each.mutate(reread)}
          {...busy}
        />
      )}
      {active.length > 0 && (
        <Action
          Icon={IconEyeOff}
          label={t('document.deactivate')}
          onClick={() => set(active, { is_active: false })}
          {...busy}
        />
      )}
      {inactive.length > 0 && (
        <Action
          Icon={IconEye}
          label={t('document.activate')}
          onClick={() => set(inactive, { is_active: true })}
          {...busy}
        />
      )}
      {folders.length > 0 && (
        <Menu width={260}>
          <Menu.Target>
            <Button
              size="compact-sm"
              variant="default"
              rightSection={<IconChevronDown size={14} />}
              {...busy}
            >
              {t('access.moveTo')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
            <Menu.Item onClick={() => set(documents, { folder_id: null })}>{t('access.top')}</Menu.Item>
            {pathsOf(folders).map((one) => (
              <Menu.Item key={one.id} onClick={() => set(documents, { folder_id: one.id })}>
                {one.path}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      <Menu width={260}>
        <Menu.Target>
          <Button size="compact-sm" variant="default" rightSection={<IconChevronDown size={14} />} {...busy}>
            {t('details.handling')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => set(documents, { hit_handling: 'optimize' })}>
            {t('details.handlings.optimize')}
          </Menu.Item>
          <Menu.Item onClick={() => set(documents, { hit_handling: 'directly_return' })}>
            {t('details.handlings.directly_return')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Button
        size="compact-sm"
        color="red"
        variant="light"
        leftSection={<IconTrash size={15} />}
        onClick={onRemove}
        {...busy}
      >
        {t('common.delete')}
      </Button>
      <Button size="compact-sm" variant="subtle" color="gray" loading={each.isPending} onClick={onClear}>
        {t('common.clear')}
      </Button>
    </Group>
  );
}

interface ActionProps {
  Icon: Icon;
  label: string;
  onClick: () => void;
  disabled: boolean;
}

function Action({ Icon, label, onClick, disabled }: ActionProps) {
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<Icon size={15} />}
      disabled={disabled}
      onClick={onClick}
    >
      {label}
    </Button>
  );
}
