/** One model as its descriptor: everything about it but the key, in one text. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  getModelDescriptorOptions,
  getModelDescriptorQueryKey,
  listModelsQueryKey,
} from '../../../api/generated/@tanstack/react-query.gen';
import { checkModelDescriptor, replaceModelDescriptor } from '../../../api/generated/sdk.gen';
import type { ModelView } from '../../../api/generated/types.gen';
import { Problem } from '../../../components/Problem';
import { Skeletons } from '../../../components/Skeletons';
import { useNotify } from '../../../components/useNotify';
import { DescriptorText } from './DescriptorText';

export function DescriptorEditor({ model, onClose }: { model: ModelView; onClose: () => void }) {
  const { t } = useTranslation();
  const { done } = useNotify();
  const client = useQueryClient();
  const path = { model_id: model.id };
  const stored = useQuery({ ...getModelDescriptorOptions({ path }), staleTime: 0 });
  const [edited, setEdited] = useState<string | null>(null);
  if (stored.isPending) return <Skeletons rows={4} height={60} />;
  if (stored.error) return <Problem error={stored.error} onRetry={stored.refetch} />;
  return (
    <DescriptorText
      text={edited ?? stored.data.yaml}
      onText={setEdited}
      checkKey={[model.id]}
      check={async (yaml) => (await checkModelDescriptor({ path, body: { yaml }, throwOnError: true })).data}
      save={(yaml) => replaceModelDescriptor({ path, body: { yaml }, throwOnError: true })}
      onSaved={() => {
        client.invalidateQueries({ queryKey: [{ _id: listModelsQueryKey()[0]._id }] });
        client.invalidateQueries({ queryKey: getModelDescriptorQueryKey({ path }) });
        done(t('models.yaml.saved'));
        onClose();
      }}
      saveLabel={t('common.save')}
      onCancel={onClose}
    />
  );
}
