/** The left rail: the rooms, your conversations, and at the foot who you are and how the page looks. */
import { Kbd, Text, UnstyledButton } from '@mantine/core';
import {
  IconBooks,
  IconChartBar,
  IconChecklist,
  IconCpu,
  IconFeather,
  IconLayoutGrid,
  IconPlus,
  IconSchool,
  IconSearch,
  IconSettings,
  IconTool,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Logo } from '../components/Logo';
import { ConversationList } from '../features/ask/ConversationList';
import classes from './Rail.module.css';
import { UserMenu } from './UserMenu';
import { WorkspaceSwitch } from './WorkspaceSwitch';

const rooms = [
  { to: '/ask', label: 'ask', Icon: IconFeather },
  { to: '/knowledge', label: 'knowledge', Icon: IconBooks },
  { to: '/applications', label: 'applications', Icon: IconLayoutGrid },
  { to: '/tools', label: 'tools', Icon: IconTool },
  { to: '/skills', label: 'skills', Icon: IconSchool },
  { to: '/models', label: 'models', Icon: IconCpu },
  { to: '/test-sets', label: 'evaluation', Icon: IconChecklist },
  { to: '/usage', label: 'usage', Icon: IconChartBar },
  { to: '/settings', label: 'settings', Icon: IconSettings },
] as const;

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function Rail({ onSearch }: { onSearch: () => void }) {
  const { t } = useTranslation();
  return (
    <div className={classes.rail}>
      <section className={classes.head} aria-label={t('common.product')}>
        <Link to="/ask" className={classes.home} aria-label={t('common.product')}>
          <Logo />
        </Link>
        <WorkspaceSwitch />
        <UnstyledButton className={classes.search} onClick={onSearch}>
          <IconSearch size={16} aria-hidden />
          <span>{t('shell.search')}</span>
          <Kbd size="xs" aria-hidden>
            {isMac ? '⌘ K' : 'Ctrl K'}
          </Kbd>
        </UnstyledButton>
      </section>
      <nav aria-label={t('shell.rooms')} className={classes.rooms}>
        {rooms.map(({ to, label, Icon }) => (
          <Link key={to} to={to} className={classes.room} activeProps={{ 'data-active': true }}>
            <Icon size={18} stroke={1.7} aria-hidden />
            {t(`shell.${label}`)}
          </Link>
        ))}
      </nav>
      <nav aria-label={t('shell.conversations')} className={classes.threads}>
        <div className={classes.threadsHead}>
          <Text size="xs" fw={600} c="dimmed">
            {t('shell.conversations')}
          </Text>
          <Link to="/ask" className={classes.plus} aria-label={t('shell.newConversation')}>
            <IconPlus size={16} aria-hidden />
          </Link>
        </div>
        <ConversationList />
      </nav>
      <footer>
        <UserMenu />
      </footer>
    </div>
  );
}
