/** A document: its paragraphs to read and work on, the original beside them, its versions and details. */
import { Alert, Button, Group, Skeleton, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconHistory, IconInfoCircle, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getDocumentOptions } from '../../api/generated/@tanstack/react-query.gen';
import type { DocumentView } from '../../api/generated/types.gen';
import { ProblemError } from '../../api/problem';
import { useCaller } from '../../app/session';
import { PageProblem } from '../../components/PageProblem';
import { useBaseEvents } from '../knowledge/useBaseEvents';
import { DiffView } from './DiffView';
import { DocumentBody } from './DocumentBody';
import { DocumentHead } from './DocumentHead';
import classes from './DocumentPage.module.css';
import { DocumentPanels } from './DocumentPanels';
import { QuotedPassage, RemovedDocument, useCitedPassage } from './RemovedDocument';
import { useTarget } from './useTarget';

export default function DocumentPage() {
  const { t } = useTranslation();
  const { documentId } = useParams({ from: '/house/documents/$documentId' });
  const document = useQuery(getDocumentOptions({ path: { document_id: documentId } }));
  const search = useSearch({ from: '/house/documents/$documentId' });
  if (document.error) {
    const isGone = document.error instanceof ProblemError && document.error.status === 404;
    return (
      <div className={classes.page}>
        {isGone ? (
          <RemovedDocument search={search} />
        ) : (
          <PageProblem error={document.error} room="knowledge" onRetry={document.refetch} />
        )}
      </div>
    );
  }
  if (!document.data) {
    return (
      <div className={classes.page} role="status" aria-label={t('common.loading')}>
        <Skeleton height={36} width={320} mb="lg" />
        <Skeleton height={480} radius="lg" />
      </div>
    );
  }
  return <Document key={documentId} document={document.data} />;
}

function Document({ document }: { document: DocumentView }) {
  const search = useSearch({ from: '/house/documents/$documentId' });
  const navigate = useNavigate({ from: '/documents/$documentId' });
  useBaseEvents(document.knowledge_base_id);
  // A draft has its place in the preview, where it is imported or discarded.
  const { is_draft: isDraft, knowledge_base_id: baseId, id } = document;
  useEffect(() => {
    if (isDraft)
      navigate({
        to: '/knowledge/$baseId/preview',
        params: { baseId },
        search: { document: id },
        replace: true,
      });
  }, [isDraft, baseId, id, navigate]);
  const comparing = search.from !== undefined && search.to !== undefined;
  return (
    <div className={classes.page}>
      <DocumentHead document={document} />
      {comparing ? (
        <DiffView document={document} from={search.from as number} to={search.to as number} />
      ) : (
        <Reading document={document} />
      )}
      <DocumentPanels document={document} />
    </div>
  );
}

/** From this many paragraphs on there is a field to find some of them. */
const searchableFrom = 12;

function Reading({ document }: { document: DocumentView }) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const search = useSearch({ from: '/house/documents/$documentId' });
  const navigate = useNavigate({ from: '/documents/$documentId' });
  const { target, past, gone, pending } = useTarget(document.id, search);
  const { passage } = useCitedPassage(gone ? search : {});
  const asked = search.version ?? past;
  const version = asked === null || asked === document.version ? null : asked;
  const [words, setWords] = useState('');
  const [q] = useDebouncedValue(words.trim(), 250);
  if (pending) return <Skeleton height={320} radius="lg" />;
  const leave = (
    <Button size="xs" variant="default" onClick={() => navigate({ search: {}, replace: true })}>
      {t('versions.showPresent')}
    </Button>
  );
  return (
    <>
      {version !== null && (
        <Alert
          mb="md"
          icon={<IconHistory size={18} />}
          title={t('versions.past', { version, current: document.version })}
        >
          <Group gap="sm">
            {past !== null && <span>{t('versions.citedPast')}</span>}
            {leave}
            <Button
              size="xs"
              variant="default"
              onClick={() => navigate({ search: { from: version, to: document.version } })}
            >
              {t('versions.compare')}
            </Button>
          </Group>
        </Alert>
      )}
      {gone && (
        <Alert mb="md" icon={<IconInfoCircle size={18} />} role="status">
          {t('document.paragraphGone')}
          {passage && <QuotedPassage passage={passage} />}
        </Alert>
      )}
      <DocumentBody
        key={version ?? 'present'}
        document={document}
        version={version}
        q={q}
        editable={mayWrite && version === null && !isBusy(document)}
        target={target}
        above={
          version === null &&
          document.paragraph_count >= searchableFrom && (
            <TextInput
              mb="md"
              leftSection={<IconSearch size={16} />}
              aria-label={t('paragraphs.find')}
              placeholder={t('paragraphs.find')}
              value={words}
              onChange={(event) => setWords(event.currentTarget.value)}
            />
          )
        }
      />
    </>
  );
}

/** While the file is read or cut anew, its paragraphs are about to be others. */
const isBusy = ({ state }: DocumentView) =>
  state === 'queued' || state === 'parsing' || state === 'splitting';
