/** What a run asks instead of answering: a choice, missing values, or an agreement. Answered once, then shown. */
import { Paper, Text, Title } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { FormOut, ReplyOut, RunReply } from '../../../api/generated/types.gen';
import { Agreement } from './Agreement';
import { Fields } from './Fields';
import { Options } from './Options';

export interface FormPartProps {
  form: FormOut;
  /** Whether it can be answered now. */
  open: boolean;
  pending: boolean;
  reply: ReplyOut | undefined;
  onReply: (reply: RunReply) => void;
}

const parts = { guidance: Options, parameters: Fields, approval: Agreement };

export function RunForm(props: FormPartProps) {
  const { t } = useTranslation();
  const { form, open, reply } = props;
  const titleId = useId();
  const Part = parts[form.kind];
  return (
    <Paper component="section" className="rd-card" p="md" mt="xs" aria-labelledby={titleId}>
      <Title order={3} size="sm" id={titleId}>
        {form.title || t(`ask.form.${form.kind}`)}
      </Title>
      {/* An approval's text repeats the arguments that are listed below it. */}
      <Text size="sm" mt={4} mb="sm" role={open ? 'status' : undefined} style={{ whiteSpace: 'pre-line' }}>
        {form.kind === 'approval' ? t('ask.form.approvalText', { title: form.title }) : form.text}
      </Text>
      <Part {...props} />
      {!open && !reply && (
        <Text size="xs" c="dimmed" mt="xs">
          {t('ask.form.withdrawn')}
        </Text>
      )}
    </Paper>
  );
}
