/** Connecting a model: first the vendor, then its kind, key and name. Changing one: the same form, filled. */
import { Tabs } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ModelView, Preset } from '../../api/generated/types.gen';
import { SideSheet } from '../../components/Dialog';
import { DescriptorEditor } from './descriptor/DescriptorEditor';
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
      size={editing?.model ? 600 : 480}
      title={editing?.model ? t('models.editTitle', { name: editing.model.name }) : t('models.addTitle')}
    >
      {editing && <Steps editing={editing} onClose={onClose} />}
    </SideSheet>
  );
}

function Steps({ editing, onClose }: { editing: Editing; onClose: () => void }) {
  const { t } = useTranslation();
  const [vendor, setVendor] = useState<Preset | null>(null);
  if (!editing.model && !vendor) return <VendorPicker kind={editing.kind} onChoose={setVendor} />;
  const form = (
    <ModelForm
      kind={editing.kind}
      model={editing.model}
      vendor={vendor}
      onBack={() => setVendor(null)}
      onClose={onClose}
    />
  );
  if (!editing.model) return form;
  return (
    <Tabs defaultValue="form" keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="form">{t('models.connection')}</Tabs.Tab>
        <Tabs.Tab value="yaml">{t('models.yaml.tab')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="form">{form}</Tabs.Panel>
      <Tabs.Panel value="yaml">
        <DescriptorEditor model={editing.model} onClose={onClose} />
      </Tabs.Panel>
    </Tabs>
  );
}
