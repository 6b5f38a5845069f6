/** The prompts' place in the form: as narrow as it is, or in a window where editor and preview stand side by side. */
import { Button, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowsMaximize } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../components/Dialog';
import { PromptFields } from './PromptFields';
import classes from './Prompts.module.css';
import type { ApplicationValues } from './values';

interface Props {
  form: UseFormReturnType<ApplicationValues>;
  applicationId?: string;
}

export function PromptSection(props: Props) {
  const { t } = useTranslation();
  const [isWide, wide] = useDisclosure(false);
  return (
    <Stack>
      <Button
        variant="default"
        leftSection={<IconArrowsMaximize size={16} />}
        onClick={wide.open}
        style={{ alignSelf: 'flex-start' }}
      >
        {t('prompts.beside')}
      </Button>
      {!isWide && (
        <div className={classes.frame}>
          <PromptFields {...props} />
        </div>
      )}
      <Dialog opened={isWide} onClose={wide.close} size="90rem" title={t('prompts.title')}>
        <div className={classes.frame}>
          <PromptFields {...props} />
        </div>
      </Dialog>
    </Stack>
  );
}
