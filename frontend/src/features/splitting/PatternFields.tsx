/** Headings by regular expression, one a level, tried on a text while they are written. */
import { ActionIcon, Button, Code, Group, Input, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus, IconX } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { checkSplitPatterns } from '../../api/generated/sdk.gen';
import { useProblemWords } from '../../components/useProblemText';
import classes from './PatternFields.module.css';

/** As many levels as the server takes. */
const most = 6;
/** Matches shown; the number of all is told. */
const shownMatches = 8;

interface Props {
  patterns: readonly string[];
  onChange: (patterns: string[]) => void;
  sample: string | undefined;
}

export function PatternFields({ patterns, onChange, sample }: Props) {
  const { t } = useTranslation();
  const rows = patterns.length > 0 ? patterns : [];
  return (
    <Input.Wrapper label={t('splitting.patterns')} description={t('splitting.patternsHint')}>
      <Stack gap={6} mt={6}>
        {rows.map((pattern, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a pattern is known by its level only
          <Group key={index} gap={6} wrap="nowrap">
            <TextInput
              flex={1}
              size="xs"
              maxLength={1000}
              classNames={{ input: classes.pattern }}
              aria-label={t('splitting.pattern', { level: index + 1 })}
              placeholder={t('splitting.patternExample')}
              value={pattern}
              onChange={(event) =>
                onChange(patterns.map((one, at) => (at === index ? event.currentTarget.value : one)))
              }
            />
            <ActionIcon
              aria-label={t('splitting.removePattern', { level: index + 1 })}
              onClick={() => onChange(patterns.filter((_, at) => at !== index))}
            >
              <IconX size={15} />
            </ActionIcon>
          </Group>
        ))}
        {patterns.length < most && (
          <Button
            size="compact-xs"
            variant="subtle"
            w="fit-content"
            leftSection={<IconPlus size={13} />}
            onClick={() => onChange([...patterns, ''])}
          >
            {t('splitting.addPattern')}
          </Button>
        )}
        {sample && patterns.some((pattern) => pattern.trim()) && (
          <Matches patterns={patterns.filter((pattern) => pattern.trim())} sample={sample} />
        )}
      </Stack>
    </Input.Wrapper>
  );
}

function Matches({ patterns, sample }: { patterns: string[]; sample: string }) {
  const { t } = useTranslation();
  const wordsOf = useProblemWords();
  const [settled] = useDebouncedValue(patterns.join('\n'), 350);
  const check = useQuery({
    queryKey: ['pattern-check', settled, sample],
    queryFn: async ({ signal }) =>
      (
        await checkSplitPatterns({
          body: { patterns: settled.split('\n'), text: sample },
          signal,
          throwOnError: true,
        })
      ).data,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (check.error) {
    const { text, code } = wordsOf(check.error);
    return (
      <Text size="xs" c="red" role="alert">
        {text} <Code fz={11}>{code}</Code>
      </Text>
    );
  }
  if (!check.data) return null;
  return (
    <div className={classes.matches} role="status">
      <Text size="xs" fw={600}>
        {t('splitting.matches', { count: check.data.total })}
      </Text>
      {check.data.matches.slice(0, shownMatches).map((match) => (
        <div key={match.start} className={classes.match} style={{ paddingLeft: (match.level - 1) * 14 }}>
          {match.title || match.text}
        </div>
      ))}
    </div>
  );
}
