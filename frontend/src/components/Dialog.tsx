/**
 * Dialogs in the middle and at the side, as all of the page are: they can be closed by a button with a name, and
 * the focus goes back to where it was, also where what opened them was an item of a menu or is gone.
 */
import { Drawer, type DrawerProps, Modal, type ModalProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useReturnedFocus } from './useReturnedFocus';

export function Dialog(props: ModalProps) {
  const { t } = useTranslation();
  useReturnedFocus(props.opened);
  return <Modal closeButtonProps={{ 'aria-label': t('common.close') }} returnFocus={false} {...props} />;
}

/** At the right, or where `position` says. */
export function SideSheet(props: DrawerProps) {
  const { t } = useTranslation();
  useReturnedFocus(props.opened);
  return (
    <Drawer
      position="right"
      closeButtonProps={{ 'aria-label': t('common.close') }}
      returnFocus={false}
      {...props}
    />
  );
}
