import { Anchor, Button, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { DocumentView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { useWarningText } from '../knowledge/useWarningText';
import { conflictCode, useConflicts } from '../paragraphs/useConflicts';

/** Each warning in words; one that is about a paragraph leads to it. */
export function DocumentWarnings({ document }: { document: DocumentView }) {
  const { t } = useTranslation();
  const warningText = useWarningText();
  const { mayWrite } = useCaller();
  return (
    <>
      {document.warnings.map((warning) => {
        const paragraph = warning.paragraph_ids?.[0];
        return (
          <Text component="div" size="sm" key={`${warning.code}-${warning.page}-${warning.message}`}>
            {warningText(warning)}{' '}
            {paragraph && (
              <Anchor
                component={Link}
                size="sm"
                underline="always"
                to="/documents/$documentId"
                params={{ documentId: document.id } as never}
                search={{ paragraph } as never}
              >
                {t('details.showParagraph')}
              </Anchor>
            )}
            {warning.code === conflictCode && mayWrite && (
              <Decide documentId={document.id} count={warning.paragraph_ids?.length ?? 0} />
            )}
          </Text>
        );
      })}
    </>
  );
}

const decisions = [
  ['mine', 'paragraphs.keepAllMine'],
  ['theirs', 'paragraphs.takeAllFiles'],
] as const;

function Decide({ documentId, count }: { documentId: string; count: number }) {
  const { t } = useTranslation();
  const decide = useConflicts(documentId);
  return (
    <Group gap="xs" my={4}>
      {decisions.map(([keep, label]) => (
        <Button
          key={keep}
          size="compact-xs"
          variant="default"
          loading={decide.isPending && decide.variables.body.keep === keep}
          onClick={() => decide.mutate({ body: { keep }, count })}
        >
          {t(label)}
        </Button>
      ))}
    </Group>
  );
}
