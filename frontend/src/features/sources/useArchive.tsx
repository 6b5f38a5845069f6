/** Choosing a ZIP and bringing a folder source in step with it. */
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ArchiveSync, SyncRequest } from '../../api/generated/types.gen';
import { ProblemError } from '../../api/problem';
import { sendFile } from '../../api/upload';
import { useNotify } from '../../components/useNotify';
import { useProblemWords } from '../../components/useProblemText';

/** `keep`: documents whose files are gone stay. */
export type How = SyncRequest & { keep?: boolean };

interface Archive {
  pick: (how?: How) => void;
  pending: boolean;
  /** More would be removed at once than is done without being told so. */
  vanished: { text: string } | null;
  input: ReactNode;
}

/** `sourceOf` names the source that a file is for; it may make one. */
export function useArchive(sourceOf: (file: File) => Promise<string>, onDone: () => unknown): Archive {
  const { t } = useTranslation();
  const { done, failed } = useNotify();
  const wordsOf = useProblemWords();
  const picker = useRef<HTMLInputElement>(null);
  const [how, setHow] = useState<How>({});
  const send = useMutation({
    mutationFn: async ({ file, wanted }: { file: File; wanted: How }) => {
      const query = new URLSearchParams(
        Object.entries(wanted)
          .filter(([, value]) => value)
          .map(([name]) => [name, 'true']),
      );
      const id = await sourceOf(file);
      return sendFile<ArchiveSync>(`/api/v1/sources/${id}/archive?${query}`, 'file', file);
    },
    onSuccess: (result) =>
      done(
        t('sources.zipDone', {
          changed: result.files.length,
          unchanged: result.unchanged,
          removed: result.removed.length,
          refused: result.refused.length,
        }),
      ),
    onError: (error) => {
      // Told in the card, where it can be allowed.
      if (!(error instanceof ProblemError && error.code === 'too-much-vanished')) failed(error);
    },
    onSettled: () => onDone(),
  });
  return {
    pick: (wanted = {}) => {
      setHow(wanted);
      picker.current?.click();
    },
    pending: send.isPending,
    vanished:
      send.error instanceof ProblemError && send.error.code === 'too-much-vanished'
        ? wordsOf(send.error)
        : null,
    input: (
      <input
        ref={picker}
        type="file"
        hidden
        accept=".zip,application/zip"
        aria-label={t('sources.zip')}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = '';
          if (file) send.mutate({ file, wanted: how });
        }}
      />
    ),
  };
}
