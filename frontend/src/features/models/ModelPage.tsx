/** One model: what it is, how it does, and a try of it in the way of its kind. */
import { Anchor, Badge, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconArrowLeft, IconPencil, IconPlugConnected } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  getModelOptions,
  getModelQueryKey,
  listModelPresetsOptions,
  listModelsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { checkModel } from '../../api/generated/sdk.gen';
import type { ModelView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { Page } from '../../components/Page';
import { PageHeader } from '../../components/PageHeader';
import { PageProblem } from '../../components/PageProblem';
import { Skeletons } from '../../components/Skeletons';
import { useNotify } from '../../components/useNotify';
import { CheckOutcome } from './CheckOutcome';
import { ModelDrawer } from './ModelDrawer';
import { TryOut } from './try/TryOut';
import { useVendorName } from './useVendorName';

export default function ModelPage() {
  const { t } = useTranslation();
  const { modelId } = useParams({ from: '/house/models/$modelId' });
  const model = useQuery(getModelOptions({ path: { model_id: modelId } }));
  const back = (
    <Anchor component={Link} to="/models" size="sm">
      <Group gap={4} wrap="nowrap">
        <IconArrowLeft size={14} aria-hidden />
        {t('shell.models')}
      </Group>
    </Anchor>
  );
  return (
    <Page>
      {model.isPending && <Skeletons rows={3} height={120} />}
      {model.error && <PageProblem error={model.error} room="models" onRetry={model.refetch} />}
      {model.data && <Shown model={model.data} back={back} />}
    </Page>
  );
}

function Shown({ model, back }: { model: ModelView; back: React.ReactNode }) {
  const { t } = useTranslation();
  const { mayManage } = useCaller();
  const { failed } = useNotify();
  const nameOf = useVendorName();
  const client = useQueryClient();
  const [isEditing, setEditing] = useState(false);
  const presets = useQuery(listModelPresetsOptions());
  const vendor = presets.data?.items.find((one) => one.id === model.provider);
  const path = { model_id: model.id };
  const refresh = () => {
    client.invalidateQueries({ queryKey: [{ _id: listModelsQueryKey()[0]._id }] });
    return client.invalidateQueries({ queryKey: getModelQueryKey({ path }) });
  };
  const check = useMutation({
    mutationFn: async () => (await checkModel({ path, throwOnError: true })).data,
    onSuccess: refresh,
    onError: failed,
  });
  const isEmbedded = model.provider === 'embedded';
  return (
    <>
      <PageHeader
        above={back}
        title={model.name}
        text={
          <Group gap={6}>
            <Badge color="gray">{t(`models.kinds.${model.kind}`)}</Badge>
            {model.is_default && <Badge>{t('models.default')}</Badge>}
          </Group>
        }
      >
        {mayManage && (
          <>
            {!isEmbedded && (
              <Button
                variant="default"
                leftSection={<IconPencil size={16} />}
                onClick={() => setEditing(true)}
              >
                {t('common.edit')}
              </Button>
            )}
            <Button
              variant="default"
              leftSection={<IconPlugConnected size={16} />}
              loading={check.isPending}
              onClick={() => check.mutate()}
            >
              {t('models.test')}
            </Button>
          </>
        )}
      </PageHeader>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" style={{ alignItems: 'start' }}>
        <Stack className="rd-card" p="lg" gap="xs">
          <Title order={2} size="h5">
            {t('models.connection')}
          </Title>
          <Text size="sm">
            {isEmbedded ? t('models.builtInText') : vendor ? nameOf(vendor) : model.provider}
          </Text>
          {!isEmbedded && (
            <Text size="sm" c="dimmed">
              {model.base_url}
            </Text>
          )}
          <Text size="sm" c="dimmed">
            {[
              model.model_name,
              model.dimensions ? t('models.dimensions', { count: model.dimensions }) : null,
              model.credential_hint ? t('models.key', { key: model.credential_hint }) : null,
            ]
              .filter(Boolean)
              .join(' · ')}
          </Text>
          {model.last_check ? (
            <CheckOutcome result={model.last_check} />
          ) : (
            <Text size="sm" c="dimmed">
              {t('models.neverTested')}
            </Text>
          )}
        </Stack>
        {mayManage && (
          <Stack className="rd-card" p="lg">
            <div>
              <Title order={2} size="h5">
                {t('models.try.title')}
              </Title>
              <Text size="sm" c="dimmed">
                {t(`models.try.hint.${model.kind}`)}
              </Text>
            </div>
            <TryOut model={model} offer={vendor?.offers.find((one) => one.kind === model.kind)} />
          </Stack>
        )}
      </SimpleGrid>
      <ModelDrawer
        editing={isEditing ? { kind: model.kind, model } : null}
        onClose={() => {
          setEditing(false);
          refresh();
        }}
      />
    </>
  );
}
