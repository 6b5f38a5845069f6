/** What is left of a document that an answer cites and somebody removed: the passage as the answer quoted it. */
import { Alert, Blockquote, Button } from '@mantine/core';
import { IconFileOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { getRunOptions } from '../../api/generated/@tanstack/react-query.gen';
import { UnknownAddress } from '../../components/PageProblem';
import { Skeletons } from '../../components/Skeletons';
import { placeOf } from '../ask/CitationChip';
import { PassageText } from '../paragraphs/PassageText';

interface Cited {
  run?: string;
  cite?: number;
  paragraph?: string;
}

/** The passage that a link from an answer is about, as the answer has it. */
export function useCitedPassage({ run, cite, paragraph }: Cited) {
  const { t } = useTranslation();
  const found = useQuery({ ...getRunOptions({ path: { run_id: run ?? '' } }), enabled: run !== undefined });
  const citation = found.data?.citations?.find((one) =>
    cite === undefined ? one.paragraph_id === paragraph : one.n === cite,
  );
  const hit = citation ?? found.data?.retrieval?.hits?.find((one) => one.paragraph_id === paragraph);
  return {
    pending: run !== undefined && found.isPending,
    conversationId: found.data?.conversation_id,
    passage: hit && {
      text: hit.text,
      document: hit.document,
      place: placeOf(hit, (page) => t('common.page', { page })),
    },
  };
}

type Passage = NonNullable<ReturnType<typeof useCitedPassage>['passage']>;

export function QuotedPassage({ passage }: { passage: Passage }) {
  return (
    <Blockquote p="md" mt="xs" cite={[passage.document, passage.place].filter(Boolean).join(' · ')}>
      <div className="rd-serif">
        <PassageText text={passage.text} />
      </div>
    </Blockquote>
  );
}

export function RemovedDocument({ search }: { search: Cited }) {
  const { t } = useTranslation();
  const { passage, pending, conversationId } = useCitedPassage(search);
  if (pending) return <Skeletons rows={3} height={64} />;
  if (!passage) {
    return (
      <UnknownAddress room="knowledge" title={t('document.removed')} text={t('document.removedUncited')} />
    );
  }
  return (
    <>
      <Alert icon={<IconFileOff size={18} />} title={t('document.removed')} role="status">
        {t('document.removedText')}
      </Alert>
      <QuotedPassage passage={passage} />
      {conversationId && (
        <Button
          mt="md"
          variant="default"
          component={Link}
          to="/ask/$conversationId"
          params={{ conversationId } as never}
        >
          {t('document.backToAnswer')}
        </Button>
      )}
    </>
  );
}
