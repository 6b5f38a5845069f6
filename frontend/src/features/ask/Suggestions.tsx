/** Questions worth asking first; where nothing has been added yet, the way to add something. */
import { Button, Group, Text, UnstyledButton } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useCaller } from '../../app/session';
import classes from './Suggestions.module.css';
import { type Sources, useSourceChoices } from './sources';

const most = 4;

export function Suggestions({ sources, onAsk }: { sources: Sources; onAsk: (question: string) => void }) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const { bases, applications, ready } = useSourceChoices();
  if (!ready) return null;
  const chosen = sources.kind === 'bases' ? bases.filter((base) => sources.ids.includes(base.id)) : bases;
  const questions =
    sources.kind === 'application'
      ? (applications.find((one) => one.id === sources.id)?.settings.suggested_questions ?? [])
      : interleave(chosen.map((base) => base.suggested_questions));
  if (bases.length === 0) {
    return (
      <Group mt="md">
        {mayWrite ? (
          <Button component={Link} to="/welcome">
            {t('ask.addFirst')}
          </Button>
        ) : (
          <Text c="dimmed">{t('ask.nothingYet')}</Text>
        )}
      </Group>
    );
  }
  if (questions.length === 0) return null;
  return (
    <ul className={classes.list} aria-label={t('ask.suggestions')}>
      {questions.slice(0, most).map((question) => (
        <li key={question}>
          <UnstyledButton className={classes.suggestion} onClick={() => onAsk(question)}>
            <span>{question}</span>
            <IconArrowRight size={16} aria-hidden />
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}

/** The first of each, then the second of each, so that every base has its say. */
function interleave(lists: string[][]): string[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  const rounds = Array.from({ length: longest }, (_, round) => lists.map((list) => list[round]));
  return [...new Set(rounds.flat().filter((question) => question !== undefined))];
}
