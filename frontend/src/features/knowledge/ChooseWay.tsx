/** Asked when files were chosen or dropped: import them at once, or look at what becomes of them first. */
import { Checkbox, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconEyeCheck, IconFileImport } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../components/Dialog';
import { formatBytes } from '../../i18n/format';
import classes from './ChooseWay.module.css';
import { keepWay } from './importWay';
import type { Way } from './uploads';

interface Props {
  files: readonly File[];
  onChoose: (way: Way) => void;
  onClose: () => void;
}

export function ChooseWay({ files, onChoose, onClose }: Props) {
  const { t } = useTranslation();
  const [keep, setKeep] = useState(false);
  const choose = (way: Way) => {
    if (keep) keepWay(way);
    onChoose(way);
  };
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  return (
    <Dialog
      opened={files.length > 0}
      onClose={onClose}
      size="lg"
      title={t('preview.howToAdd', { count: files.length })}
    >
      <Stack>
        <Text size="sm" c="dimmed" lineClamp={2}>
          {files.length === 1 ? files[0]?.name : files.map((file) => file.name).join(', ')} ·{' '}
          {formatBytes(bytes)}
        </Text>
        <div className={classes.ways}>
          <UnstyledButton className={classes.way} onClick={() => choose('preview')} data-autofocus>
            <IconEyeCheck size={26} stroke={1.6} aria-hidden />
            <span className={classes.name}>{t('preview.first')}</span>
            <span className={classes.text}>{t('preview.firstText')}</span>
          </UnstyledButton>
          <UnstyledButton className={classes.way} onClick={() => choose('now')}>
            <IconFileImport size={26} stroke={1.6} aria-hidden />
            <span className={classes.name}>{t('preview.now')}</span>
            <span className={classes.text}>{t('preview.nowText')}</span>
          </UnstyledButton>
        </div>
        <Checkbox
          label={t('preview.keepWay')}
          checked={keep}
          onChange={(event) => setKeep(event.currentTarget.checked)}
        />
      </Stack>
    </Dialog>
  );
}
