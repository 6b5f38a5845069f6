/** What can be done with a row, small enough to stay beside it on a phone. */
import { ActionIcon } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

interface Props {
  name: string;
  onEdit: () => void;
  onDelete: () => void;
}

export function RowActions({ name, onEdit, onDelete }: Props) {
  const { t } = useTranslation();
  return (
    <>
      <ActionIcon variant="subtle" color="gray" aria-label={t('usage.editOf', { name })} onClick={onEdit}>
        <IconPencil size={17} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="red" aria-label={t('usage.deleteOf', { name })} onClick={onDelete}>
        <IconTrash size={17} />
      </ActionIcon>
    </>
  );
}
