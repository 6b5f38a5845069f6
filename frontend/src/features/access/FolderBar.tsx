/** Where one is among the folders of a base, and the folders that lie there. */
import { ActionIcon, Anchor, Breadcrumbs, Button, Menu, Text, UnstyledButton } from '@mantine/core';
import { IconDots, IconFolder, IconFolderPlus, IconLock, IconPencil, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deleteFolder } from '../../api/generated/sdk.gen';
import type { FolderView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { useNotify } from '../../components/useNotify';
import classes from './Access.module.css';
import { AccessBadge } from './AccessBadge';
import type { Subject } from './AccessDialog';
import { FolderName, type Naming } from './FolderName';
import { pathTo } from './folders';

interface Props {
  baseId: string;
  folders: FolderView[];
  current: string | null;
  onOpen: (folderId: string | null) => void;
  onAccess: (subject: Subject) => void;
  onChanged: () => unknown;
}

export function FolderBar({ baseId, folders, current, onOpen, onAccess, onChanged }: Props) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const { done, failed } = useNotify();
  const [naming, setNaming] = useState<Naming | null>(null);
  const path = pathTo(folders, current);
  const here = folders.filter((one) => one.parent_id === current);
  const remove = (folder: FolderView) =>
    deleteFolder({ path: { folder_id: folder.id }, throwOnError: true })
      .then(() => done(t('access.folderDeleted', { name: folder.name })))
      .then(onChanged)
      .catch(failed);
  if (folders.length === 0 && !mayWrite) return null;
  return (
    <>
      <div className={classes.bar}>
        {folders.length > 0 && (
          <Breadcrumbs component="nav" aria-label={t('access.folders')} separatorMargin={6}>
            <Anchor component="button" type="button" size="sm" onClick={() => onOpen(null)}>
              {t('access.top')}
            </Anchor>
            {path.map((one) => (
              <Anchor component="button" type="button" size="sm" key={one.id} onClick={() => onOpen(one.id)}>
                {one.name}
                <AccessBadge access={one.access} />
              </Anchor>
            ))}
          </Breadcrumbs>
        )}
        {mayWrite && (
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconFolderPlus size={15} />}
            onClick={() => setNaming({ parent: path.at(-1) ?? null, folder: null })}
          >
            {t('access.newFolder')}
          </Button>
        )}
      </div>
      {here.length > 0 && (
        <ul className={classes.folders} aria-label={t('access.folders')}>
          {here.map((one) => (
            <li key={one.id} className={classes.folder}>
              <UnstyledButton className={classes.open} onClick={() => onOpen(one.id)}>
                <IconFolder size={17} aria-hidden />
                <span>{one.name}</span>
                <AccessBadge access={one.access} />
                <Text component="span" size="xs" c="dimmed">
                  {t('access.countDocuments', { count: one.documents })}
                </Text>
              </UnstyledButton>
              {mayWrite && (
                <Menu position="bottom-end" width={210}>
                  <Menu.Target>
                    <ActionIcon aria-label={t('access.folderActions', { name: one.name })}>
                      <IconDots size={16} />
                    </ActionIcon>
                  </Menu.Target>
                  <Menu.Dropdown>
                    <Menu.Item
                      leftSection={<IconLock size={15} />}
                      onClick={() => onAccess({ kind: 'folder', id: one.id, name: one.name })}
                    >
                      {t('access.title')}
                    </Menu.Item>
                    <Menu.Item
                      leftSection={<IconPencil size={15} />}
                      onClick={() => setNaming({ parent: null, folder: one })}
                    >
                      {t('access.rename')}
                    </Menu.Item>
                    <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={() => remove(one)}>
                      {t('access.deleteFolder')}
                    </Menu.Item>
                  </Menu.Dropdown>
                </Menu>
              )}
            </li>
          ))}
        </ul>
      )}
      <FolderName baseId={baseId} naming={naming} onClose={() => setNaming(null)} onChanged={onChanged} />
    </>
  );
}
