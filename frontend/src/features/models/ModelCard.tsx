import { ActionIcon, Anchor, Badge, Button, Group, Menu, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconDots,
  IconPencil,
  IconPlayerPlay,
  IconPlugConnected,
  IconStar,
  IconTrash,
} from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { getStatusQueryKey, listModelsQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { changeModel, checkModel, deleteModel } from '../../api/generated/sdk.gen';
import type { ModelView } from '../../api/generated/types.gen';
import { ConfirmDelete } from '../../components/ConfirmDelete';
import { useNotify } from '../../components/useNotify';
import { CheckOutcome } from './CheckOutcome';
import { GatesSummary } from './gates/GatesSummary';
import classes from './ModelCard.module.css';
import { shapes } from './shapes';

interface Props {
  model: ModelView;
  mayManage: boolean;
  onEdit: () => void;
}

export function ModelCard({ model, mayManage, onEdit }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { failed } = useNotify();
  const [asking, ask] = useDisclosure(false);
  const path = { model_id: model.id };
  // Applications choose their reranker by name: a default would mean nothing.
  const isReranker = model.kind === 'RERANKER';
  const isEmbedded = model.provider === 'embedded';
  const refresh = () => {
    client.invalidateQueries({ queryKey: getStatusQueryKey() });
    return client.invalidateQueries({ queryKey: [{ _id: listModelsQueryKey()[0]._id }] });
  };
  const check = useMutation({
    mutationFn: async () => (await checkModel({ path, throwOnError: true })).data,
    onSuccess: refresh,
    onError: failed,
  });
  const makeDefault = useMutation({
    mutationFn: () => changeModel({ path, body: { is_default: true }, throwOnError: true }),
    onSuccess: refresh,
    onError: failed,
  });
  const shape = shapes.find((one) => one === model.parameters.shape);
  const facts = [
    model.model_name !== model.name ? model.model_name : null,
    shape ? t(`models.shapes.${shape}`) : null,
    model.dimensions ? t('models.dimensions', { count: model.dimensions }) : null,
    model.credential_hint ? t('models.key', { key: model.credential_hint }) : null,
  ].filter(Boolean);
  return (
    <article className={classes.card}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text component="h3" fw={600} fz="md" m={0} lineClamp={1}>
          <Anchor
            component={Link}
            to="/models/$modelId"
            params={{ modelId: model.id } as never}
            inherit
            c="inherit"
          >
            {model.name}
          </Anchor>
        </Text>
        {mayManage && !isEmbedded && (
          <Menu position="bottom-end" width={200}>
            <Menu.Target>
              <ActionIcon size="sm" aria-label={t('models.actions', { name: model.name })}>
                <IconDots size={17} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconPencil size={15} />} onClick={onEdit}>
                {t('common.edit')}
              </Menu.Item>
              {!model.is_default && !isReranker && (
                <Menu.Item leftSection={<IconStar size={15} />} onClick={() => makeDefault.mutate()}>
                  {t('models.makeDefault')}
                </Menu.Item>
              )}
              <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={ask.open}>
                {t('common.delete')}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
      <Group gap={6}>
        {model.is_default && !isReranker && <Badge>{t('models.default')}</Badge>}
        {isEmbedded && <Badge color="gray">{t('models.builtIn')}</Badge>}
      </Group>
      <Text size="sm" c="dimmed" className={classes.facts}>
        {isEmbedded ? t('models.builtInText') : (model.base_url ?? '')}
      </Text>
      {facts.length > 0 && (
        <Text size="xs" c="dimmed">
          {facts.join(' · ')}
        </Text>
      )}
      <GatesSummary model={model} mayManage={mayManage} />
      <div className={classes.health}>
        {model.last_check ? (
          <CheckOutcome result={model.last_check} />
        ) : (
          <Text size="sm" c="dimmed">
            {t('models.neverTested')}
          </Text>
        )}
      </div>
      {mayManage && (
        <Group grow gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlugConnected size={15} />}
            loading={check.isPending}
            onClick={() => check.mutate()}
            aria-label={t('models.testNamed', { name: model.name })}
          >
            {t('models.test')}
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlayerPlay size={15} />}
            component={Link}
            to="/models/$modelId"
            params={{ modelId: model.id } as never}
            aria-label={t('models.try.openNamed', { name: model.name })}
          >
            {t('models.try.open')}
          </Button>
        </Group>
      )}
      <ConfirmDelete
        opened={asking}
        onClose={ask.close}
        name={model.name}
        title={t('models.delete')}
        loss={t('models.deleteLoss')}
        onConfirm={async () => {
          await deleteModel({ path, throwOnError: true });
          await refresh();
        }}
      />
    </article>
  );
}
