/** Changing an HTTP interface: its address, how it is signed in to, which operations are tools. */
import { useTranslation } from 'react-i18next';
import { changeToolInterface } from '../../../api/generated/sdk.gen';
import type { ToolInterfaceView } from '../../../api/generated/types.gen';
import { SideSheet } from '../../../components/Dialog';
import { InterfaceFields } from './InterfaceFields';
import { interfaceDraftOf, valuesOfInterface } from './interfaceValues';

interface Props {
  found: ToolInterfaceView | null;
  onClose: () => void;
  onDone: () => unknown;
}

export function InterfaceForm({ found, onClose, onDone }: Props) {
  const { t } = useTranslation();
  return (
    <SideSheet
      opened={found !== null}
      onClose={onClose}
      size={640}
      title={t('tools.servers.edit', { name: found?.name ?? '' })}
    >
      {found && (
        <InterfaceFields
          initial={valuesOfInterface(found)}
          operations={found.operations}
          kept={found.auth.secrets}
          onSave={async (values) => {
            const path = { interface_id: found.id };
            await changeToolInterface({ path, body: interfaceDraftOf(values), throwOnError: true });
            onClose();
            await onDone();
          }}
        />
      )}
    </SideSheet>
  );
}
