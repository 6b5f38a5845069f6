/** What can be done with one paragraph. Its lists are brought up to date with what the server answered. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { getDocumentQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import {
  addParagraph,
  attachQuestions,
  deleteParagraph,
  detachQuestion,
  mergeParagraph,
  revertParagraph,
  splitParagraph,
  updateParagraph,
} from '../../api/generated/sdk.gen';
import type { AddedParagraph, ParagraphUpdate, ParagraphView } from '../../api/generated/types.gen';
import { useUndoableDelete } from '../../components/undo';
import { useNotify } from '../../components/useNotify';
import { refreshParagraphs, storeParagraph } from './useParagraphPages';

export function useParagraphActions(documentId: string, paragraph?: ParagraphView) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { failed } = useNotify();
  const removeWithUndo = useUndoableDelete();
  const refresh = () => refreshParagraphs(client, documentId);
  const path = { paragraph_id: paragraph?.id ?? '' };
  const revision = paragraph?.revision;
  const keep = (view: ParagraphView) => {
    storeParagraph(client, view);
    client.invalidateQueries({ queryKey: getDocumentQueryKey({ path: { document_id: documentId } }) });
  };
  const update = useMutation({
    mutationFn: async (body: ParagraphUpdate) =>
      (await updateParagraph({ path, body: { ...body, revision }, throwOnError: true })).data,
    onSuccess: keep,
  });
  const toggle = useMutation({
    mutationFn: async () =>
      (await updateParagraph({ path, body: { is_active: !paragraph?.is_active }, throwOnError: true })).data,
    onMutate: () => paragraph && storeParagraph(client, { ...paragraph, is_active: !paragraph.is_active }),
    onSuccess: keep,
    onError: (error) => {
      failed(error);
      refresh();
    },
  });
  const revert = useMutation({
    mutationFn: async () => (await revertParagraph({ path, body: { revision }, throwOnError: true })).data,
    onSuccess: keep,
    onError: failed,
  });
  const split = useMutation({
    mutationFn: async ({ offset, after }: { offset: number; after: number }) =>
      (await splitParagraph({ path, body: { offset, revision: after }, throwOnError: true })).data,
    onSuccess: refresh,
  });
  const merge = useMutation({
    mutationFn: () => mergeParagraph({ path, body: { revision }, throwOnError: true }),
    onSuccess: refresh,
    onError: failed,
  });
  const add = useMutation({
    mutationFn: (body: AddedParagraph) =>
      addParagraph({ path: { document_id: documentId }, body, throwOnError: true }),
    onSuccess: refresh,
  });
  const addQuestion = useMutation({
    mutationFn: async (content: string) =>
      (await attachQuestions({ path, body: { contents: [content] }, throwOnError: true })).data,
    onSuccess: keep,
  });
  const removeQuestion = useMutation({
    mutationFn: (questionId: string) =>
      detachQuestion({ path: { ...path, question_id: questionId }, throwOnError: true }),
    onMutate: (questionId) =>
      paragraph &&
      storeParagraph(client, {
        ...paragraph,
        questions: paragraph.questions.filter((one) => one.id !== questionId),
      }),
    onError: failed,
    onSettled: refresh,
  });
  const remove = () => {
    if (!paragraph) return;
    removeWithUndo({
      ids: [paragraph.id],
      message: t('document.paragraphDeleted'),
      remove: () => deleteParagraph({ path, throwOnError: true }),
      onSettled: refresh,
    });
  };
  return { update, toggle, revert, split, merge, add, addQuestion, removeQuestion, remove };
}
