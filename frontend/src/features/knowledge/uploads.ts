/**
 * Files on their way to the server. They live outside the pages, so that moving about the house does not
 * break an upload; three go at a time, and each keeps its own progress and its own error.
 */
import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { listDocumentsQueryKey, listDraftsQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import type { UploadResult } from '../../api/generated/types.gen';
import { asProblem, ProblemError } from '../../api/problem';
import { sendFile } from '../../api/upload';

/** Imported at once, or looked at first. */
export type Way = 'now' | 'preview';

export interface Upload {
  id: number;
  baseId: string;
  file: File;
  way: Way;
  folderId: string | null;
  state: 'waiting' | 'sending' | 'done' | 'failed';
  progress: number;
  problem: ProblemError | null;
}

const anywhere = { path: { knowledge_base_id: '' } };
const documentsId = listDocumentsQueryKey(anywhere)[0]._id;
const draftsId = listDraftsQueryKey(anywhere)[0]._id;
const atOnce = 3;
let uploads: Upload[] = [];
let nextId = 1;
const controllers = new Map<number, AbortController>();
const listeners = new Set<() => void>();

function publish(next: Upload[]) {
  uploads = next;
  for (const listener of listeners) listener();
}

const change = (id: number, part: Partial<Upload>) =>
  publish(uploads.map((upload) => (upload.id === id ? { ...upload, ...part } : upload)));

// Moving about the house does not break an upload; leaving it does.
window.addEventListener('beforeunload', (event) => {
  if (uploads.some(({ state }) => state === 'waiting' || state === 'sending')) event.preventDefault();
});

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useUploads = (baseId: string) => {
  const all = useSyncExternalStore(subscribe, () => uploads);
  return all.filter((upload) => upload.baseId === baseId && upload.state !== 'done');
};

export function startUploads(
  baseId: string,
  files: readonly File[],
  client: QueryClient,
  way: Way = 'now',
  folderId: string | null = null,
) {
  const added = files.map(
    (file): Upload => ({
      id: nextId++,
      baseId,
      file,
      way,
      folderId,
      state: 'waiting',
      progress: 0,
      problem: null,
    }),
  );
  publish([...uploads, ...added]);
  pump(client);
}

export function dismissUpload(id: number) {
  controllers.get(id)?.abort();
  publish(uploads.filter((upload) => upload.id !== id));
}

export function retryUpload(id: number, client: QueryClient) {
  change(id, { state: 'waiting', progress: 0, problem: null });
  pump(client);
}

function pump(client: QueryClient) {
  const free = atOnce - uploads.filter((upload) => upload.state === 'sending').length;
  for (const upload of uploads.filter((one) => one.state === 'waiting').slice(0, Math.max(0, free))) {
    send(upload, client);
  }
}

async function send(upload: Upload, client: QueryClient) {
  const controller = new AbortController();
  controllers.set(upload.id, controller);
  change(upload.id, { state: 'sending' });
  const into = upload.folderId === null ? '' : `?folder_id=${upload.folderId}`;
  try {
    const result = await sendFile<UploadResult>(
      `/api/v1/knowledge-bases/${upload.baseId}/${upload.way === 'preview' ? 'drafts' : 'files'}${into}`,
      'files',
      upload.file,
      { onProgress: (progress) => change(upload.id, { progress }), signal: controller.signal },
    );
    const refusal = result.files.find((outcome) => outcome.error)?.error;
    if (refusal) throw new ProblemError(422, { ...refusal, detail: refusal.message });
    change(upload.id, { state: 'done', progress: 1 });
  } catch (error) {
    change(upload.id, { state: 'failed', problem: asProblem(error) });
  } finally {
    controllers.delete(upload.id);
    const path = { knowledge_base_id: upload.baseId };
    client.invalidateQueries({
      queryKey: upload.way === 'preview' ? [{ _id: draftsId, path }] : [{ _id: documentsId, path }],
    });
    pump(client);
  }
}
