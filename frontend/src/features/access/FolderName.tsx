/** The name of a new folder, or another one for a folder that is there. */
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { createFolder, updateFolder } from '../../api/generated/sdk.gen';
import type { FolderView } from '../../api/generated/types.gen';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';

/** `folder`: the one to rename; none: a new one in `parent`. */
export interface Naming {
  parent: FolderView | null;
  folder: FolderView | null;
}

interface Props {
  baseId: string;
  naming: Naming | null;
  onClose: () => void;
  onChanged: () => unknown;
}

export function FolderName({ baseId, naming, onClose, onChanged }: Props) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const save = useMutation({
    mutationFn: (wanted: string) =>
      naming?.folder
        ? updateFolder({ path: { folder_id: naming.folder.id }, body: { name: wanted }, throwOnError: true })
        : createFolder({
            path: { knowledge_base_id: baseId },
            body: { name: wanted, parent_id: naming?.parent?.id ?? null },
            throwOnError: true,
          }),
    onSuccess: async () => {
      onClose();
      await onChanged();
    },
  });
  const { reset } = save;
  useEffect(() => {
    setName(naming?.folder?.name ?? '');
    reset();
  }, [naming, reset]);
  const create = naming?.parent
    ? t('access.newFolderIn', { name: naming.parent.name })
    : t('access.newFolder');
  return (
    <Dialog opened={naming !== null} onClose={onClose} title={naming?.folder ? t('access.rename') : create}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(name.trim());
        }}
      >
        <Stack>
          <TextInput
            data-autofocus
            label={t('access.folderName')}
            value={name}
            maxLength={200}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {save.error && <Problem error={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" disabled={!name.trim()} loading={save.isPending}>
              {naming?.folder ? t('common.save') : t('access.create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
