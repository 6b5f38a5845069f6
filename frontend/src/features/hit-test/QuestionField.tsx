import { Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface Props {
  value: string;
  onChange: (value: string) => void;
  onRun: () => void;
}

/** The question; Enter searches, Shift-Enter makes a line. */
export function QuestionField({ value, onChange, onRun }: Props) {
  const { t } = useTranslation();
  return (
    <Textarea
      label={t('knowledge.testQuestion')}
      placeholder={t('knowledge.testPlaceholder')}
      autosize
      minRows={2}
      maxRows={8}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
          event.preventDefault();
          onRun();
        }
      }}
    />
  );
}
