/** Without a language model: what works now, and the way to connect one. Calm, and gone once it is read. */
import { Anchor, CloseButton } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconBulb } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { getStatusOptions } from '../../api/generated/@tanstack/react-query.gen';
import classes from './NoModelBanner.module.css';

export function NoModelBanner() {
  const { t } = useTranslation();
  const status = useQuery(getStatusOptions());
  const [dismissed, setDismissed] = useLocalStorage({
    key: 'refdesk-no-model-read',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  if (dismissed || status.data?.has_language_model !== false) return null;
  return (
    <div className={classes.banner} role="note">
      <IconBulb size={18} aria-hidden />
      <p>
        {t('ask.noModel')}{' '}
        <Anchor component={Link} to="/models" inherit underline="always">
          {t('ask.connectModel')}
        </Anchor>
      </p>
      <CloseButton aria-label={t('common.close')} onClick={() => setDismissed(true)} />
    </div>
  );
}
