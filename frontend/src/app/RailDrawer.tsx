import { Drawer } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Rail } from './Rail';
import classes from './Shell.module.css';

interface Props {
  opened: boolean;
  onClose: () => void;
  onSearch: () => void;
}

/** The rail on phones; loaded when it is first opened. */
export default function RailDrawer({ opened, onClose, onSearch }: Props) {
  const { t } = useTranslation();
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={284}
      padding={0}
      withCloseButton={false}
      title={t('shell.menu')}
      classNames={{ header: classes.hidden, body: classes.drawer }}
    >
      <Rail onSearch={onSearch} />
    </Drawer>
  );
}
