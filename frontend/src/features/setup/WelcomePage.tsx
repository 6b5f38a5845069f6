/** The two ways to begin: one's own documents, or a look around with the sample library. */
import { Loader, Text, UnstyledButton } from '@mantine/core';
import { IconBooks, IconUpload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { createKnowledgeBase, createSampleLibrary } from '../../api/generated/sdk.gen';
import { Page } from '../../components/Page';
import { PageHeader } from '../../components/PageHeader';
import { Problem } from '../../components/Problem';
import { acceptedKinds } from '../knowledge/kinds';
import { startUploads } from '../knowledge/uploads';
import classes from './WelcomePage.module.css';

export default function WelcomePage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const client = useQueryClient();
  const picker = useRef<HTMLInputElement>(null);
  const open = async (baseId: string) => {
    await client.invalidateQueries();
    await navigate({ to: '/knowledge/$baseId', params: { baseId } });
  };
  const own = useMutation({
    mutationFn: async (files: File[]) => {
      const { data } = await createKnowledgeBase({
        body: { name: `${t('setup.firstBase')} ${new Date().toISOString().slice(0, 10)}` },
        throwOnError: true,
      });
      startUploads(data.id, files, client);
      return data;
    },
    onSuccess: (base) => open(base.id),
  });
  const sample = useMutation({
    mutationFn: async () => (await createSampleLibrary({ throwOnError: true })).data,
    onSuccess: (base) => open(base.id),
  });
  const add = (list: FileList | null) => {
    if (list && list.length > 0) own.mutate([...list]);
  };
  const busy = own.isPending || sample.isPending;
  return (
    <Page>
      <PageHeader title={t('setup.welcomeTitle')} text={t('setup.welcomeText')} />
      <div className={classes.choices}>
        <Choice
          icon={<IconUpload size={30} stroke={1.5} />}
          title={t('setup.addOwn')}
          text={t('setup.addOwnText')}
          busy={own.isPending}
          disabled={busy}
          onClick={() => picker.current?.click()}
          onDrop={add}
        />
        <Choice
          icon={<IconBooks size={30} stroke={1.5} />}
          title={t('setup.lookAround')}
          text={t('setup.lookAroundText')}
          busy={sample.isPending}
          disabled={busy}
          onClick={() => sample.mutate()}
        />
      </div>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        accept={acceptedKinds}
        aria-label={t('setup.addOwn')}
        onChange={(event) => {
          add(event.currentTarget.files);
          // The same files can be chosen again if they were refused.
          event.currentTarget.value = '';
        }}
      />
      {(own.error ?? sample.error) && <Problem error={own.error ?? sample.error} />}
    </Page>
  );
}

interface ChoiceProps {
  icon: ReactNode;
  title: string;
  text: string;
  busy: boolean;
  disabled: boolean;
  onClick: () => void;
  onDrop?: (files: FileList) => void;
}

function Choice({ icon, title, text, busy, disabled, onClick, onDrop }: ChoiceProps) {
  return (
    <UnstyledButton
      className={classes.choice}
      disabled={disabled}
      onClick={onClick}
      onDragOver={(event) => onDrop && event.preventDefault()}
      onDrop={(event) => {
        if (!onDrop) return;
        event.preventDefault();
        onDrop(event.dataTransfer.files);
      }}
    >
      <span className={classes.icon} aria-hidden>
        {busy ? <Loader size={26} /> : icon}
      </span>
      <Text component="span" fw={600} size="xl" display="block">
        {title}
      </Text>
      <Text component="span" c="dimmed" display="block">
        {text}
      </Text>
    </UnstyledButton>
  );
}
