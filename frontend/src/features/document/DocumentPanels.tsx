/** What opens beside a document: its versions, its details, how it is split. Named in the address. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { DocumentView } from '../../api/generated/types.gen';
import { SideSheet } from '../../components/Dialog';
import { DetailsPanel } from './DetailsPanel';
import { SplitPanel } from './SplitPanel';
import { VersionsPanel } from './VersionsPanel';

export function DocumentPanels({ document }: { document: DocumentView }) {
  const { t } = useTranslation();
  const { panel } = useSearch({ from: '/house/documents/$documentId' });
  const navigate = useNavigate({ from: '/documents/$documentId' });
  const close = () =>
    navigate({ search: ({ panel: _closed, ...rest }) => rest, replace: true, resetScroll: false });
  const titles = {
    versions: t('versions.title'),
    details: t('details.title'),
    split: t('splitting.drawer'),
  };
  return (
    <SideSheet opened={panel !== undefined} onClose={close} size="md" title={panel && titles[panel]}>
      {panel === 'versions' && <VersionsPanel document={document} onClose={close} />}
      {panel === 'details' && <DetailsPanel document={document} />}
      {panel === 'split' && <SplitPanel document={document} onDone={close} />}
    </SideSheet>
  );
}
