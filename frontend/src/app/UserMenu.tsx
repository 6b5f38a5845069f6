import { Menu, SegmentedControl, Stack, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { IconLogout, IconSelector, IconUser } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { signOut } from '../api/generated/sdk.gen';
import { useNotify } from '../components/useNotify';
import { changeLanguage, currentLanguage, type Language } from '../i18n';
import { useCaller } from './session';
import classes from './UserMenu.module.css';

export function UserMenu() {
  const { t } = useTranslation();
  const { session } = useCaller();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { failed } = useNotify();
  const navigate = useNavigate();
  const name = session.user?.name ?? t('shell.operator');
  const leave = async () => {
    try {
      await signOut({ throwOnError: true });
      // A fresh page: nothing that was read while signed in stays in memory.
      window.location.assign('/sign-in');
    } catch (error) {
      failed(error);
    }
  };
  return (
    <Menu width={240} position="top-start" shadow="md">
      <Menu.Target>
        <UnstyledButton className={classes.user} aria-label={t('shell.account', { name })}>
          <span className={classes.initial} data-initial={name.slice(0, 1).toUpperCase()} aria-hidden />
          <span className={classes.name}>{name}</span>
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Stack gap={6} p="xs">
          <Text size="xs" c="dimmed">
            {t('common.theme')}
          </Text>
          <SegmentedControl
            size="xs"
            fullWidth
            aria-label={t('common.theme')}
            value={colorScheme}
            onChange={(value) => setColorScheme(value as typeof colorScheme)}
            data={[
              { value: 'light', label: t('common.light') },
              { value: 'dark', label: t('common.dark') },
              { value: 'auto', label: t('shell.system') },
            ]}
          />
          <Text size="xs" c="dimmed" mt={4}>
            {t('common.language')}
          </Text>
          <SegmentedControl
            size="xs"
            fullWidth
            aria-label={t('common.language')}
            value={currentLanguage()}
            onChange={(value) => changeLanguage(value as Language)}
            data={[
              { value: 'en', label: t('common.english') },
              { value: 'zh', label: t('common.chinese') },
            ]}
          />
        </Stack>
        <Menu.Divider />
        <Menu.Item leftSection={<IconUser size={16} />} onClick={() => navigate({ to: '/settings' })}>
          {t('shell.profile')}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={leave}>
          {t('shell.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
