/** The frame of the pages before the sign-in: one card, the language and the light at the corner. */
import {
  ActionIcon,
  Button,
  Text,
  Title,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Logo } from '../../components/Logo';
import { changeLanguage, currentLanguage } from '../../i18n';
import classes from './Door.module.css';

interface Props {
  title: string;
  text?: ReactNode;
  children: ReactNode;
}

export function Door({ title, text, children }: Props) {
  const { t } = useTranslation();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = currentLanguage() === 'zh' ? 'en' : 'zh';
  return (
    <div className={classes.door}>
      <header className={classes.head}>
        <Logo size={28} />
        <div className={classes.switches}>
          <Button variant="subtle" color="gray" size="compact-sm" onClick={() => changeLanguage(other)}>
            {other === 'zh' ? t('common.chinese') : t('common.english')}
          </Button>
          <ActionIcon
            aria-label={t('shell.actionDark')}
            onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}
          >
            {scheme === 'dark' ? <IconSun size={18} /> : <IconMoon size={18} />}
          </ActionIcon>
        </div>
      </header>
      <main className={classes.main}>
        <div className={classes.card}>
          <Title order={1} className={classes.title}>
            {title}
          </Title>
          {text && (
            <Text c="dimmed" mb="lg" component="div">
              {text}
            </Text>
          )}
          {children}
        </div>
      </main>
    </div>
  );
}
