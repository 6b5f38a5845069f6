/** What the palette offers for the words typed: actions at once, things of the workspace as they are found. */
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import {
  IconBooks,
  IconCpu,
  IconFeather,
  IconFileText,
  IconKey,
  IconLanguage,
  IconLayoutGrid,
  IconMessage,
  IconMoon,
  IconPlus,
  IconTool,
  IconUserPlus,
} from '@tabler/icons-react';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { listConversationsOptions, listDocumentsOptions } from '../api/generated/@tanstack/react-query.gen';
import { useApplications, useBases } from '../features/knowledge/useBases';
import { changeLanguage, currentLanguage } from '../i18n';
import { useCaller } from './session';

export interface PaletteItem {
  id: string;
  label: string;
  note?: string;
  Icon: typeof IconBooks;
  run: () => void;
}
export interface PaletteGroup {
  label: string;
  items: PaletteItem[];
}

/** Documents are searched in this many bases at once; the list of bases finds the others. */
const basesSearched = 20;
const most = 6;

export function usePaletteItems(words: string, query: string) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { mayWrite, mayManage } = useCaller();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const matches = (text: string) => text.toLocaleLowerCase().includes(words.toLocaleLowerCase());

  const bases = useBases();
  const applications = useApplications();
  const conversations = useQuery({
    ...listConversationsOptions({ query: { limit: most, ...(query ? { q: query } : {}) } }),
    placeholderData: keepPreviousData,
  });
  const documents = useQueries({
    queries: (bases.data ?? []).slice(0, basesSearched).map((base) => ({
      ...listDocumentsOptions({ path: { knowledge_base_id: base.id }, query: { limit: 4, q: query } }),
      enabled: query !== '',
    })),
  });

  const actions: (PaletteItem & { shown: boolean })[] = [
    {
      id: 'a-ask',
      label: t('shell.actionNewConversation'),
      Icon: IconPlus,
      shown: true,
      run: () => navigate({ to: '/ask' }),
    },
    {
      id: 'a-knowledge',
      label: t('shell.actionKnowledge'),
      Icon: IconBooks,
      shown: true,
      run: () => navigate({ to: '/knowledge' }),
    },
    {
      id: 'a-application',
      label: t('shell.actionNewApplication'),
      Icon: IconLayoutGrid,
      shown: mayWrite,
      run: () => navigate({ to: '/applications/new' }),
    },
    {
      id: 'a-model',
      label: t('shell.actionModels'),
      Icon: IconCpu,
      shown: mayManage,
      run: () => navigate({ to: '/models' }),
    },
    {
      id: 'a-tools',
      label: t('shell.actionTools'),
      Icon: IconTool,
      shown: mayWrite,
      run: () => navigate({ to: '/tools' }),
    },
    {
      id: 'a-member',
      label: t('shell.actionMembers'),
      Icon: IconUserPlus,
      shown: mayManage,
      run: () => navigate({ to: '/settings', search: { section: 'members' } }),
    },
    {
      id: 'a-key',
      label: t('shell.actionKeys'),
      Icon: IconKey,
      shown: true,
      run: () => navigate({ to: '/settings', search: { section: 'keys' } }),
    },
    {
      id: 'a-dark',
      label: t('shell.actionDark'),
      Icon: IconMoon,
      shown: true,
      run: () => setColorScheme(scheme === 'dark' ? 'light' : 'dark'),
    },
    {
      id: 'a-language',
      label: t('shell.actionLanguage'),
      Icon: IconLanguage,
      shown: true,
      run: () => changeLanguage(currentLanguage() === 'zh' ? 'en' : 'zh'),
    },
  ];
  const groups: PaletteGroup[] = [
    {
      label: t('shell.groupBases'),
      items: (bases.data ?? [])
        .filter((base) => matches(base.name))
        .slice(0, most)
        .map((base) => ({
          id: base.id,
          label: base.name,
          note: t('knowledge.documentCount', { count: base.counts.documents }),
          Icon: IconBooks,
          run: () => navigate({ to: '/knowledge/$baseId', params: { baseId: base.id } }),
        })),
    },
    {
      label: t('shell.groupDocuments'),
      items: documents
        .flatMap((found) => found.data?.items ?? [])
        .slice(0, most)
        .map((document) => ({
          id: document.id,
          label: document.name,
          note: bases.data?.find((base) => base.id === document.knowledge_base_id)?.name,
          Icon: IconFileText,
          run: () => navigate({ to: '/documents/$documentId', params: { documentId: document.id } }),
        })),
    },
    {
      label: t('shell.groupApplications'),
      items: (applications.data ?? [])
        .filter((application) => matches(application.name))
        .slice(0, most)
        .map((application) => ({
          id: application.id,
          label: application.name,
          Icon: IconLayoutGrid,
          run: () => navigate({ to: '/ask', search: { application: application.id } }),
        })),
    },
    {
      label: t('shell.groupConversations'),
      items: (conversations.data?.items ?? [])
        .filter((conversation) => matches(conversation.title))
        .map((conversation) => ({
          id: conversation.id,
          label: conversation.title || t('ask.untitled'),
          Icon: IconMessage,
          run: () => navigate({ to: '/ask/$conversationId', params: { conversationId: conversation.id } }),
        })),
    },
    {
      label: t('shell.groupActions'),
      items: actions.filter((action) => action.shown && matches(action.label)),
    },
  ];
  if (words) {
    groups.push({
      label: t('shell.ask'),
      items: [
        {
          id: 'ask-words',
          label: t('shell.askThis', { question: words }),
          Icon: IconFeather,
          run: () => navigate({ to: '/ask', search: { question: words } }),
        },
      ],
    });
  }
  return {
    groups: groups.filter((group) => group.items.length > 0),
    searching: conversations.isFetching || documents.some((found) => found.isFetching),
  };
}
