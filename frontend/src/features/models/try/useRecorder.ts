import { useCallback, useEffect, useRef, useState } from 'react';

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
      made.onstop = () => {
        for (const track of stream.getTracks()) track.stop();
        const type = made.mimeType.split(';')[0] || 'audio/webm';
        onRecorded(new File(parts, `speech.${type.split('/')[1]}`, { type }));
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
