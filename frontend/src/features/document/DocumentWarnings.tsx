import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { DocumentView } from '../../api/generated/types.gen';
import { useWarningText } from '../knowledge/useWarningText';

/** Each warning in words; one that is about a paragraph leads to it. */
export function DocumentWarnings({ document }: { document: DocumentView }) {
  const { t } = useTranslation();
  const warningText = useWarningText();
  return (
    <>
      {document.warnings.map((warning) => {
        const paragraph = warning.paragraph_ids?.[0];
        return (
          <Text size="sm" key={`${warning.code}-${warning.page}-${warning.message}`}>
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
          </Text>
        );
      })}
    </>
  );
}
