/** The questions a paragraph answers: they are searched with it. */
import { ActionIcon, CloseButton, Group, TextInput } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ParagraphView } from '../../api/generated/types.gen';
import { useProblemWords } from '../../components/useProblemText';
import classes from './Paragraph.module.css';
import { useParagraphActions } from './useParagraphActions';

interface Props {
  paragraph: ParagraphView;
  documentId: string;
  editable: boolean;
  asking: boolean;
  onAsked: () => void;
}

export function ParagraphQuestions({ paragraph, documentId, editable, asking, onAsked }: Props) {
  const { t } = useTranslation();
  const wordsOf = useProblemWords();
  const { addQuestion, removeQuestion } = useParagraphActions(documentId, paragraph);
  const [words, setWords] = useState('');
  const save = () => {
    const question = words.trim();
    if (question) addQuestion.mutate(question, { onSuccess: () => setWords('') });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      save();
    }
    if (event.key === 'Escape') {
      setWords('');
      onAsked();
    }
  };
  return (
    <div className={classes.questions}>
      {paragraph.questions.length > 0 && (
        <ul aria-label={t('paragraphs.questions')}>
          {paragraph.questions.map((question) => (
            <li key={question.id ?? question.content}>
              <span>{question.content}</span>
              {editable && question.id && (
                <CloseButton
                  size={20}
                  aria-label={t('paragraphs.removeQuestion', { question: question.content })}
                  onClick={() => removeQuestion.mutate(question.id as string)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {asking && (
        <Group gap={6} wrap="nowrap" align="flex-start">
          <TextInput
            size="xs"
            flex={1}
            autoFocus
            maxLength={500}
            aria-label={t('paragraphs.addQuestion')}
            placeholder={t('paragraphs.questionPlaceholder')}
            value={words}
            error={addQuestion.error && wordsOf(addQuestion.error).text}
            onChange={(event) => setWords(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
          <ActionIcon
            size={30}
            variant="light"
            color="lamp"
            aria-label={t('paragraphs.saveQuestion')}
            loading={addQuestion.isPending}
            disabled={!words.trim()}
            onClick={save}
          >
            <IconCheck size={16} />
          </ActionIcon>
          <CloseButton size={30} aria-label={t('common.close')} onClick={onAsked} />
        </Group>
      )}
    </div>
  );
}
