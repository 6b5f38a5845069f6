/** Adding files to a base: the picker, what is asked about them, and where one then goes. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ChooseWay } from './ChooseWay';
import { keptWay } from './importWay';
import { acceptedKinds } from './kinds';
import { startUploads, type Way } from './uploads';

export function useAddFiles(baseId: string, folderId: string | null = null) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const picker = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<readonly File[]>([]);
  const send = (files: readonly File[], way: Way) => {
    setChosen([]);
    startUploads(baseId, files, client, way, folderId);
    if (way === 'preview') navigate({ to: '/knowledge/$baseId/preview', params: { baseId } });
  };
  const add = (files: readonly File[]) => {
    if (files.length === 0) return;
    const way = keptWay();
    if (way) send(files, way);
    else setChosen(files);
  };
  const elements = (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        accept={acceptedKinds}
        aria-label={t('knowledge.addFiles')}
        onChange={(event) => {
          add([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
      <ChooseWay files={chosen} onChoose={(way) => send(chosen, way)} onClose={() => setChosen([])} />
    </>
  );
  return { add, pick: () => picker.current?.click(), elements };
}
