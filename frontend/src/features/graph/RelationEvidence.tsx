/** A relation and the paragraphs that tell it, each opened at its place in its document. */
import { Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { RelationView } from '../../api/generated/types.gen';
import { Facts } from '../../components/Facts';
import classes from './GraphTab.module.css';
import { useRelationText } from './useRelationText';

export function RelationEvidence({ relation }: { relation: RelationView }) {
  const { t } = useTranslation();
  const words = useRelationText();
  const names = [...relation.source.also, ...relation.target.also];
  return (
    <Stack gap="sm">
      <div>
        <Title order={2} size="h5">
          {words.sentence(relation)}
        </Title>
        <Text size="xs" c="dimmed">
          <Facts
            items={[
              t('graph.told', { count: relation.told }),
              names.length > 0 && t('graph.also', { names: names.join(', ') }),
            ]}
          />
        </Text>
      </div>
      {relation.paragraphs.map((place) => (
        <div key={place.paragraph_id}>
          <blockquote className={classes.quote}>{place.quote.trim()}</blockquote>
          <Link
            className={classes.place}
            to="/documents/$documentId"
            params={{ documentId: place.document_id }}
            search={{
              paragraph: place.paragraph_id,
              start: place.start,
              length: Math.max(place.end - place.start, 0),
            }}
          >
            {place.page
              ? t('graph.onPage', { document: place.document_name, page: place.page })
              : place.document_name}
          </Link>
        </div>
      ))}
    </Stack>
  );
}
