import { useCallback, useEffect, useRef, useState } from 'react';
import { asWav } from './wav';

/** Whether this browser may record here: only over https or on this machine. */
export const canRecord = () =>
  typeof MediaRecorder !== 'undefined' && navigator.mediaDevices?.getUserMedia !== undefined;

/** A recording from the microphone; `onRecorded` gets it as a file once it is stopped. */
export function useRecorder(onRecorded: (file: File) => void) {
  const recorder = useRef<MediaRecorder | null>(null);
  const [isRecording, setRecording] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const stop = useCallback(() => {
    recorder.current?.stop();
    recorder.current = null;
    setRecording(false);
  }, []);

  const start = useCallback(async () => {
    setError(null);
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const made = new MediaRecorder(stream);
      const parts: Blob[] = [];
      made.ondataavailable = (event) => parts.push(event.data);
      made.onstop = async () => {
        for (const track of stream.getTracks()) track.stop();
        const recorded = await asWav(new Blob(parts, { type: made.mimeType || 'audio/webm' }));
        const type = recorded.type.split(';')[0] ?? '';
        onRecorded(new File([recorded], `speech.${type.split('/')[1]}`, { type }));
      };
      made.start();
      recorder.current = made;
      setRecording(true);
    } catch (refused) {
      setError(refused);
    }
  }, [onRecorded]);

  // The microphone is let go when the page is left.
  useEffect(
    () => () => {
      if (recorder.current?.state === 'recording') recorder.current.stop();
    },
    [],
  );
  return { isRecording, error, start, stop };
}
