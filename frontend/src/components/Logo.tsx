import { useTranslation } from 'react-i18next';
import classes from './Logo.module.css';

export function Logo({ size = 26 }: { size?: number }) {
  const { t } = useTranslation();
  return (
    <span className={classes.logo}>
      <img src="/favicon.svg" width={size} height={size} alt="" />
      <span className={classes.word} style={{ fontSize: size * 0.77 }}>
        {t('common.product')}
      </span>
    </span>
  );
}
