/** The pictures of the question that is being written: uploaded when chosen, sent by their ids. */
import { useState } from 'react';
import { addQuestionPicture } from '../../api/generated/sdk.gen';
import { useNotify } from '../../components/useNotify';

export const mostPictures = 4;
export const pictureKinds = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

export function useQuestionPictures() {
  const notify = useNotify();
  const [ids, setIds] = useState<string[]>([]);
  const [uploading, setUploading] = useState(0);
  const add = async (files: Iterable<File>) => {
    const room = mostPictures - ids.length - uploading;
    const chosen = [...files].filter((file) => pictureKinds.includes(file.type)).slice(0, room);
    setUploading((count) => count + chosen.length);
    for (const file of chosen) {
      try {
        const kept = await addQuestionPicture({
          body: file,
          headers: { 'Content-Type': file.type },
          throwOnError: true,
        });
        setIds((known) => [...known, kept.data.id]);
      } catch (error) {
        notify.failed(error);
      } finally {
        setUploading((count) => count - 1);
      }
    }
  };
  return {
    ids,
    uploading: uploading > 0,
    isFull: ids.length + uploading >= mostPictures,
    add,
    remove: (id: string) => setIds((known) => known.filter((other) => other !== id)),
    clear: () => setIds([]),
  };
}
