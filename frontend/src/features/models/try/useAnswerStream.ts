/** An answer of a chat model while it is written: its words so far, and how it ended. */
import { useRef, useState } from 'react';
import type { TryAnswer } from '../../../api/generated/types.gen';
import { postForEvents } from '../../../api/stream';

export interface Writing {
  question: string;
  text: string;
  reasoning: string;
}

interface Body {
  text: string;
  pictures: string[];
}

export function useAnswerStream(modelId: string, onAnswer: (question: string, answer: TryAnswer) => void) {
  const [writing, setWriting] = useState<Writing | null>(null);
  const [error, setError] = useState<unknown>(null);
  const abort = useRef<AbortController | null>(null);

  const ask = async (body: Body) => {
    const control = new AbortController();
    abort.current = control;
    let written: Writing = { question: body.text, text: '', reasoning: '' };
    setError(null);
    setWriting(written);
    try {
      await postForEvents(`/api/v1/models/${modelId}/try/stream`, body, control.signal, (event) => {
        const data = event.data as { text?: string; code?: string };
        if (event.name === 'answer') onAnswer(body.text, event.data as TryAnswer);
        else if (event.name === 'delta') written = { ...written, text: written.text + (data.text ?? '') };
        else if (event.name === 'reasoning')
          written = { ...written, reasoning: written.reasoning + (data.text ?? '') };
        else if (event.name === 'notice' && data.code === 'restarted')
          written = { ...written, text: '', reasoning: '' };
        setWriting(written);
      });
      setWriting(null);
    } catch (failure) {
      // What was written stays to be read when the answer breaks off or is stopped.
      setWriting(written.text || written.reasoning ? written : null);
      if (!control.signal.aborted) setError(failure);
    } finally {
      abort.current = null;
    }
  };

  return { writing, error, ask, stop: () => abort.current?.abort() };
}
