/** Asks one source and shows what it gave: to see whether it finds, before anything relies on it. */
import { Anchor, Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconExternalLink, IconSearch } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { searchExternalSource } from '../../api/generated/sdk.gen';
import type { ExternalSourceView, SourceHitView } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { formatNumber, formatScore } from '../../i18n/format';
import { ClampedPassage } from '../paragraphs/ClampedPassage';
import classes from './External.module.css';

const hitsWanted = 5;

export function SourceSearch({ source }: { source: ExternalSourceView }) {
  const { t } = useTranslation();
  const [query, setQuery] = useState('');
  const search = useMutation({
    mutationFn: async (words: string) => {
      const path = { source_id: source.id };
      const body = { query: words, top_k: hitsWanted };
      return (await searchExternalSource({ path, body, throwOnError: true })).data;
    },
  });
  const label = t('external.searchIn', { name: source.name });
  return (
    <div className={classes.search}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (query.trim()) search.mutate(query.trim());
        }}
      >
        <Group gap="xs" wrap="nowrap">
          <TextInput
            className={classes.query}
            aria-label={label}
            placeholder={label}
            leftSection={<IconSearch size={16} />}
            maxLength={4000}
            value={query}
            data-autofocus
            onChange={(event) => setQuery(event.currentTarget.value)}
          />
          <Button type="submit" loading={search.isPending} disabled={!query.trim()}>
            {t('external.search')}
          </Button>
        </Group>
      </form>
      <Stack gap="sm" mt="sm" aria-live="polite">
        {search.error && <Problem error={search.error} />}
        {search.data && (
          <Text size="sm" c="dimmed">
            {t('external.found', {
              count: search.data.hits.length,
              ms: formatNumber(Math.round(search.data.took_ms)),
            })}
          </Text>
        )}
        {search.data?.hits.map((hit, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a source may give one document several times
          <Hit key={`${hit.doc_id}-${place}`} hit={hit} />
        ))}
      </Stack>
    </div>
  );
}

function Hit({ hit }: { hit: SourceHitView }) {
  const { t } = useTranslation();
  const name = hit.title || hit.doc_id;
  // The address is what somebody else's table holds: only one a browser opens as a page becomes a link.
  const link = hit.url && /^https?:\/\//i.test(hit.url) ? hit.url : null;
  return (
    <article className={classes.hit} aria-label={name}>
      <Group gap="sm" wrap="nowrap" justify="space-between" align="baseline">
        {link ? (
          <Anchor href={link} target="_blank" rel="noreferrer noopener" fw={600} className={classes.title}>
            {name} <IconExternalLink size={14} aria-hidden />
          </Anchor>
        ) : (
          <Text fw={600} className={classes.title}>
            {name}
          </Text>
        )}
        <Text size="xs" c="dimmed" className={classes.score}>
          {t('external.score', { score: formatScore(hit.score) })}
        </Text>
      </Group>
      <div className={classes.text}>
        <ClampedPassage text={hit.text} lines={4} unfolds />
      </div>
      {Object.keys(hit.metadata).length > 0 && (
        <Group gap={6}>
          {Object.entries(hit.metadata).map(([key, value]) => (
            <Badge key={key} variant="default" className={classes.fact}>
              {`${key}: ${value}`}
            </Badge>
          ))}
        </Group>
      )}
    </article>
  );
}
