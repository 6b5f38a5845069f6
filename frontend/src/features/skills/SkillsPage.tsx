/** Procedures that agents follow: those that come with the product and those somebody added. */
import { Accordion, Badge, Button, FileButton, Group, Text } from '@mantine/core';
import { IconPlus, IconSchool } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  getSkillOptions,
  listSkillsOptions,
  listSkillsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { addSkill, deleteSkill } from '../../api/generated/sdk.gen';
import type { SkillCard } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { ConfirmDelete } from '../../components/ConfirmDelete';
import { EmptyState } from '../../components/EmptyState';
import { Page } from '../../components/Page';
import { PageHeader } from '../../components/PageHeader';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { useNotify } from '../../components/useNotify';
import { PassageText } from '../paragraphs/PassageText';
import classes from './SkillsPage.module.css';

export default function SkillsPage() {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const { done, failed } = useNotify();
  const client = useQueryClient();
  const forget = useRef<() => void>(null);
  const [opened, setOpened] = useState<string | null>(null);
  const [removing, setRemoving] = useState<SkillCard | null>(null);
  const skills = useQuery(listSkillsOptions());
  const refresh = () => client.invalidateQueries({ queryKey: listSkillsQueryKey() });
  const add = useMutation({
    mutationFn: (file: File) => addSkill({ body: file, throwOnError: true }),
    onSuccess: async ({ data }) => {
      done(t('skills.added', { name: data.name }));
      await refresh();
    },
    onError: failed,
  });
  const addButton = mayWrite && (
    <FileButton
      accept=".zip,.md"
      resetRef={forget}
      onChange={(file) => {
        forget.current?.();
        if (file) add.mutate(file);
      }}
    >
      {(props) => (
        <Button {...props} loading={add.isPending} leftSection={<IconPlus size={17} />}>
          {t('skills.add')}
        </Button>
      )}
    </FileButton>
  );
  return (
    <Page>
      <PageHeader title={t('skills.title')} text={t('skills.intro')}>
        {addButton}
      </PageHeader>
      {skills.isPending && <Skeletons rows={4} />}
      {skills.error && <Problem error={skills.error} onRetry={skills.refetch} />}
      {skills.data?.items.length === 0 && (
        <EmptyState icon={<IconSchool size={30} />} title={t('skills.none')} text={t('skills.noneText')}>
          {addButton}
        </EmptyState>
      )}
      <Accordion variant="separated" radius="lg" value={opened} onChange={setOpened} order={2}>
        {(skills.data?.items ?? []).map((skill) => (
          <Accordion.Item key={skill.name} value={skill.name}>
            <Accordion.Control>
              <Group gap="xs">
                <Text fw={600}>{skill.name}</Text>
                {skill.is_builtin && (
                  <Badge size="sm" variant="light">
                    {t('skills.builtin')}
                  </Badge>
                )}
              </Group>
              <Text size="sm" c="dimmed">
                {skill.description}
              </Text>
            </Accordion.Control>
            <Accordion.Panel>
              {opened === skill.name && <SkillBody name={skill.name} />}
              {mayWrite && !skill.is_builtin && (
                <Button mt="sm" variant="default" color="red" onClick={() => setRemoving(skill)}>
                  {t('skills.remove')}
                </Button>
              )}
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
      <ConfirmDelete
        opened={removing !== null}
        onClose={() => setRemoving(null)}
        name={removing?.name ?? ''}
        title={t('skills.remove')}
        loss={t('skills.removeText')}
        onConfirm={async () => {
          if (removing) await deleteSkill({ path: { name: removing.name }, throwOnError: true });
          await refresh();
          setRemoving(null);
        }}
      />
    </Page>
  );
}

function SkillBody({ name }: { name: string }) {
  const { t } = useTranslation();
  const skill = useQuery(getSkillOptions({ path: { name } }));
  if (skill.isPending) return <Skeletons rows={3} />;
  if (skill.error) return <Problem error={skill.error} onRetry={skill.refetch} />;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={classes.body} tabIndex={0} aria-label={t('skills.steps', { name })}>
        <PassageText text={skill.data.body} />
      </section>
      <Text size="xs" c="dimmed" mt={6}>
        {t('skills.files', { files: skill.data.files.join(t('common.comma')) })}
      </Text>
    </>
  );
}
