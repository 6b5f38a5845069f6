/** The buttons below a paragraph; what is needed less is in its menu. */
import { ActionIcon, Group, Menu, Tooltip } from '@mantine/core';
import {
  IconArrowBackUp,
  IconArrowMerge,
  IconDots,
  IconEye,
  IconEyeOff,
  IconPencil,
  IconPlus,
  IconQuestionMark,
  IconTags,
  IconTrash,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ParagraphView } from '../../api/generated/types.gen';
import classes from './Paragraph.module.css';
import type { useParagraphActions } from './useParagraphActions';

interface Props {
  paragraph: ParagraphView;
  isLast: boolean;
  actions: ReturnType<typeof useParagraphActions>;
  onEdit: () => void;
  onAdd: () => void;
  onAsk: () => void;
  onFacts: () => void;
}

export function ParagraphTools({ paragraph, isLast, actions, onEdit, onAdd, onAsk, onFacts }: Props) {
  const { t } = useTranslation();
  const shown = paragraph.is_active ? t('document.deactivate') : t('document.activate');
  return (
    <Group gap={2} className={classes.tools}>
      <Tooltip label={t('common.edit')}>
        <ActionIcon size="sm" aria-label={t('document.editParagraph')} onClick={onEdit}>
          <IconPencil size={15} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('paragraphs.addQuestion')}>
        <ActionIcon size="sm" aria-label={t('paragraphs.addQuestion')} onClick={onAsk}>
          <IconQuestionMark size={15} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={shown}>
        <ActionIcon size="sm" aria-label={shown} onClick={() => actions.toggle.mutate()}>
          {paragraph.is_active ? <IconEyeOff size={15} /> : <IconEye size={15} />}
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('common.delete')}>
        <ActionIcon size="sm" aria-label={t('document.deleteParagraph')} onClick={actions.remove}>
          <IconTrash size={15} />
        </ActionIcon>
      </Tooltip>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <ActionIcon size="sm" aria-label={t('paragraphs.more')}>
            <IconDots size={15} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!isLast && (
            <Menu.Item leftSection={<IconArrowMerge size={15} />} onClick={() => actions.merge.mutate()}>
              {t('paragraphs.merge')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconPlus size={15} />} onClick={onAdd}>
            {t('paragraphs.addBelow')}
          </Menu.Item>
          <Menu.Item leftSection={<IconTags size={15} />} onClick={onFacts}>
            {t('paragraphs.metadata')}
          </Menu.Item>
          {paragraph.is_edited && paragraph.source && (
            <Menu.Item leftSection={<IconArrowBackUp size={15} />} onClick={() => actions.revert.mutate()}>
              {t('paragraphs.takeBack')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
