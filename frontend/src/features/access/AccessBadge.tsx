/** A lock where not everyone may see a document or a folder; nothing where everyone may. */
import { Tooltip } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { DocumentView } from '../../api/generated/types.gen';
import classes from './Access.module.css';

export function AccessBadge({ access }: { access: DocumentView['access'] }) {
  const { t } = useTranslation();
  if (access === 'everyone') return null;
  const label = t(`access.badge.${access}`);
  return (
    <Tooltip label={label}>
      <span
        role="img"
        aria-label={label}
        className={classes.badge}
        data-own={access === 'restricted' || undefined}
      >
        <IconLock size={13} aria-hidden />
      </span>
    </Tooltip>
  );
}
