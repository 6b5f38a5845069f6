/** The frame of asking: the thread in the middle above its composer, the evidence at the right. */
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunOut } from '../../api/generated/types.gen';
import { SideSheet } from '../../components/Dialog';
import classes from './AskRoom.module.css';
import { Evidence } from './Evidence';
import { FocusProvider } from './focus';

interface Props {
  run: RunOut | null;
  sheetOpen: boolean;
  onSheetClose: () => void;
  children: ReactNode;
  composer: ReactNode;
}

export function AskRoom({ run, sheetOpen, onSheetClose, children, composer }: Props) {
  const { t } = useTranslation();
  const wide = useMediaQuery('(min-width: 80em)');
  return (
    <FocusProvider>
      <div className={classes.room}>
        <div className={classes.middle}>
          <div className={classes.thread}>{children}</div>
          <div className={classes.composer}>{composer}</div>
        </div>
        {wide ? (
          <aside className={classes.evidence} aria-label={t('ask.evidence')}>
            <h2 className={classes.title}>{t('ask.evidence')}</h2>
            <Evidence run={run} />
          </aside>
        ) : (
          <SideSheet
            opened={sheetOpen}
            onClose={onSheetClose}
            position="bottom"
            size="75%"
            title={t('ask.evidence')}
            radius="lg"
          >
            <Evidence run={run} />
          </SideSheet>
        )}
      </div>
    </FocusProvider>
  );
}
