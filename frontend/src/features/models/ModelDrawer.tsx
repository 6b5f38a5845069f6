/** Connecting a model: first the vendor, then its kind, key and name. Changing one: the same form, filled. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ModelView, Preset } from '../../api/generated/types.gen';
import { SideSheet } from '../../components/Dialog';
import type { Kind } from './kinds';
import { ModelForm } from './ModelForm';
import { VendorPicker } from './VendorPicker';

export interface Editing {
  /** The kind that is to be added; null while any may be. */
  kind: Kind | null;
  model: ModelView | null;
}

export function ModelDrawer({ editing, onClose }: { editing: Editing | null; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <SideSheet
      opened={editing !== null}
      onClose={onClose}
      size={480}
      title={editing?.model ? t('models.editTitle', { name: editing.model.name }) : t('models.addTitle')}
    >
      {editing && <Steps editing={editing} onClose={onClose} />}
    </SideSheet>
  );
}

function Steps({ editing, onClose }: { editing: Editing; onClose: () => void }) {
  const [vendor, setVendor] = useState<Preset | null>(null);
  if (!editing.model && !vendor) return <VendorPicker kind={editing.kind} onChoose={setVendor} />;
  return (
    <ModelForm
      kind={editing.kind}
      model={editing.model}
      vendor={vendor}
      onBack={() => setVendor(null)}
      onClose={onClose}
    />
  );
}
