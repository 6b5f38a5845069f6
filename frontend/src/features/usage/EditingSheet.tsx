/** What the forms at the side share: one for a new thing or a present one, and how it is saved or left. */
import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { SideSheet } from '../../components/Dialog';
import { Problem } from '../../components/Problem';

export interface EditingProps<T> {
  editing: T | 'new' | null;
  onClose: () => void;
  onSaved: () => unknown;
}

interface SheetProps<T> extends Omit<EditingProps<T>, 'onSaved'> {
  titles: { new: string; edit: string };
  /** The form for a thing, or for a new one; it begins anew with each. */
  children: (item: T | null) => ReactNode;
}

export function EditingSheet<T extends { id: string }>({
  editing,
  titles,
  onClose,
  children,
}: SheetProps<T>) {
  const item = editing === 'new' ? null : editing;
  return (
    <SideSheet
      opened={editing !== null}
      onClose={onClose}
      title={editing === 'new' ? titles.new : titles.edit}
    >
      {editing && <Fragment key={item?.id ?? 'new'}>{children(item)}</Fragment>}
    </SideSheet>
  );
}

/** Saves, tells whoever lists such things, and closes. */
export function useSaving(
  save: () => Promise<unknown>,
  { onSaved, onClose }: Omit<EditingProps<never>, 'editing'>,
) {
  return useMutation({
    mutationFn: save,
    onSuccess: async () => {
      await onSaved();
      onClose();
    },
  });
}

interface EndProps {
  saving: { error: unknown; isPending: boolean };
  onClose: () => void;
}

export function FormEnd({ saving, onClose }: EndProps) {
  const { t } = useTranslation();
  return (
    <>
      {saving.error != null && <Problem error={saving.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button type="submit" loading={saving.isPending}>
          {t('common.save')}
        </Button>
      </Group>
    </>
  );
}
