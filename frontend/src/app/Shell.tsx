/** The frame of every room: the rail at the left (a drawer on phones), the room in the middle. */
import { ActionIcon } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconMenu2, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Navigate, Outlet, useLocation, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Logo } from '../components/Logo';
import { Rail } from './Rail';
import classes from './Shell.module.css';
import { sessionQuery } from './session';

const loadPalette = () => import('./Palette');
const Palette = lazy(loadPalette);
const RailDrawer = lazy(() => import('./RailDrawer'));

export function Shell() {
  const { t } = useTranslation();
  const { data: session } = useQuery(sessionQuery);
  const [railOpen, rail] = useDisclosure(false);
  const [railOpened, setRailOpened] = useState(false);
  const [paletteOpen, palette] = useDisclosure(false);
  const location = useLocation();
  const busy = useRouterState({ select: (state) => state.status === 'pending' });
  const main = useRef<HTMLElement>(null);
  useHotkeys([['mod+K', palette.toggle]], []);

  // Fetched once the page is quiet, so that what is typed right after Ctrl K reaches the palette.
  useEffect(() => {
    const timer = setTimeout(loadPalette, 1500);
    return () => clearTimeout(timer);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes whenever the place changes
  useEffect(() => rail.close(), [location.pathname]);

  if (session === null) return <Navigate to="/sign-in" search={{ next: location.href }} />;
  return (
    <div className={classes.shell}>
      <button type="button" className="rd-skip" onClick={() => main.current?.focus()}>
        {t('shell.skip')}
      </button>
      <div className={classes.progress} data-busy={busy || undefined} aria-hidden />
      <div className={classes.rail}>
        <Rail onSearch={palette.open} />
      </div>
      {/* No header: the one of an open panel would be a second banner. */}
      <section className={classes.bar} aria-label={t('shell.bar')}>
        <ActionIcon
          size="lg"
          aria-label={t('shell.menu')}
          onClick={() => {
            setRailOpened(true);
            rail.open();
          }}
        >
          <IconMenu2 size={20} />
        </ActionIcon>
        <Logo size={22} />
        <ActionIcon size="lg" aria-label={t('shell.search')} onClick={palette.open}>
          <IconSearch size={20} />
        </ActionIcon>
      </section>
      {railOpened && (
        <Suspense>
          <RailDrawer
            opened={railOpen}
            onClose={rail.close}
            onSearch={() => {
              rail.close();
              palette.open();
            }}
          />
        </Suspense>
      )}
      <main id="main" ref={main} tabIndex={-1} className={classes.main}>
        <Outlet />
      </main>
      {paletteOpen && (
        <Suspense>
          <Palette onClose={palette.close} />
        </Suspense>
      )}
    </div>
  );
}
