/** The fallback policies, each with its rules in words and the models that use it. */
import { ActionIcon, Button, Group, List, SimpleGrid, Text, Title } from '@mantine/core';
import { IconArrowsShuffle, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  listFallbackPoliciesOptions,
  listFallbackPoliciesQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { deleteFallbackPolicy } from '../../api/generated/sdk.gen';
import type { PolicyView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { ConfirmDelete } from '../../components/ConfirmDelete';
import { EmptyState } from '../../components/EmptyState';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { PolicyEditor } from './PolicyEditor';
import { useRuleText } from './useRuleText';

export type Editing = { policy: PolicyView | null };

export function PolicyList() {
  const { t } = useTranslation();
  const { mayManage } = useCaller();
  const [editing, setEditing] = useState<Editing | null>(null);
  const policies = useQuery(listFallbackPoliciesOptions());
  const add = mayManage && (
    <Button variant="light" leftSection={<IconPlus size={17} />} onClick={() => setEditing({ policy: null })}>
      {t('policies.add')}
    </Button>
  );
  return (
    <section aria-labelledby="policies-title">
      <Group justify="space-between" mt="xl" mb="md">
        <div>
          <Title order={2} size="h5" id="policies-title">
            {t('policies.policies')}
          </Title>
          <Text size="sm" c="dimmed" maw={640}>
            {t('policies.policiesText')}
          </Text>
        </div>
        {policies.data && policies.data.items.length > 0 && add}
      </Group>
      {policies.isPending && <Skeletons rows={2} height={110} />}
      {policies.error && <Problem error={policies.error} onRetry={policies.refetch} />}
      {policies.data?.items.length === 0 && (
        <div className="rd-card">
          <EmptyState
            icon={<IconArrowsShuffle size={28} />}
            title={t('policies.emptyTitle')}
            text={t('policies.emptyText')}
          >
            {add}
          </EmptyState>
        </div>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        {policies.data?.items.map((policy) => (
          <PolicyCard key={policy.id} policy={policy} onEdit={() => setEditing({ policy })} />
        ))}
      </SimpleGrid>
      {editing && (
        <PolicyEditor
          key={editing.policy?.id ?? 'new'}
          policy={editing.policy}
          onClose={() => setEditing(null)}
        />
      )}
    </section>
  );
}

function PolicyCard({ policy, onEdit }: { policy: PolicyView; onEdit: () => void }) {
  const { t } = useTranslation();
  const { mayManage } = useCaller();
  const client = useQueryClient();
  const textOf = useRuleText(policy.targets);
  const [isDeleting, setDeleting] = useState(false);
  const users = policy.models.map((model) => model.name).join(t('policies.comma'));
  return (
    <article className="rd-card" style={{ padding: 16 }}>
      <Group justify="space-between" wrap="nowrap">
        <Text component="h3" fw={600} fz="md" m={0}>
          {policy.policy_id}
        </Text>
        {mayManage && (
          <Group gap={4} wrap="nowrap">
            <ActionIcon
              variant="subtle"
              aria-label={t('policies.edit', { policy: policy.policy_id })}
              onClick={onEdit}
            >
              <IconPencil size={17} />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={t('policies.delete', { policy: policy.policy_id })}
              disabled={policy.models.length > 0}
              onClick={() => setDeleting(true)}
            >
              <IconTrash size={17} />
            </ActionIcon>
          </Group>
        )}
      </Group>
      {policy.description && (
        <Text size="sm" c="dimmed">
          {policy.description}
        </Text>
      )}
      <List type="ordered" size="sm" mt="sm" spacing={4}>
        {policy.rules.map((rule, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have no name but their place
          <List.Item key={at}>{textOf(rule)}</List.Item>
        ))}
      </List>
      <Text size="xs" c="dimmed" mt="sm">
        {users ? t('policies.usedBy', { models: users }) : t('policies.unused')}
      </Text>
      {isDeleting && (
        <ConfirmDelete
          opened
          onClose={() => setDeleting(false)}
          name={policy.policy_id}
          title={t('policies.deletePolicy')}
          loss={t('policies.deletePolicyLoss')}
          onConfirm={async () => {
            await deleteFallbackPolicy({ path: { policy_id: policy.id }, throwOnError: true });
            await client.invalidateQueries({ queryKey: listFallbackPoliciesQueryKey() });
          }}
        />
      )}
    </article>
  );
}
