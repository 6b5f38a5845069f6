/** The files of a preview: how far each is, and what to know about it. */
import { Text, UnstyledButton } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { DocumentView } from '../../api/generated/types.gen';
import { Facts } from '../../components/Facts';
import { formatPercent } from '../../i18n/format';
import { StateChip } from '../knowledge/StateChip';
import classes from './PreviewPage.module.css';

interface Props {
  drafts: DocumentView[];
  open: string;
  onOpen: (id: string) => void;
}

export function DraftList({ drafts, open, onOpen }: Props) {
  const { t } = useTranslation();
  return (
    <ul className={classes.list} aria-label={t('preview.files')}>
      {drafts.map((draft) => (
        <li key={draft.id}>
          <UnstyledButton
            className={classes.item}
            aria-current={draft.id === open}
            onClick={() => onOpen(draft.id)}
          >
            <Text size="sm" fw={600} lineClamp={2}>
              {draft.name}
            </Text>
            {draft.state !== 'draft' && <StateChip document={draft} />}
            {draft.state === 'draft' && (
              <Text size="xs" c="dimmed">
                <Facts
                  items={[
                    t('knowledge.paragraphCount', { count: draft.paragraph_count }),
                    draft.coverage !== null &&
                      t('document.covered', { share: formatPercent(draft.coverage, 1) }),
                  ]}
                />
              </Text>
            )}
            {draft.warnings.length > 0 && (
              <Text size="xs" className={classes.warning}>
                <IconAlertTriangle size={13} aria-hidden />
                {t('knowledge.warningCount', { count: draft.warnings.length })}
              </Text>
            )}
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}
