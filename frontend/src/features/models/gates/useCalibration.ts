/** One calibration: how far it is, what came of it, and a way to stop it. */
import { useEffect, useRef, useState } from 'react';
import type {
  CalibrationProgress,
  CalibrationRequest,
  CalibrationResult,
} from '../../../api/generated/types.gen';
import { postForEvents } from '../../../api/stream';

interface Calibration {
  state: 'idle' | 'running' | 'done' | 'stopped' | 'failed';
  progress: CalibrationProgress | null;
  result: CalibrationResult | null;
  error: unknown;
}

const none: Calibration = { state: 'idle', progress: null, result: null, error: null };

export function useCalibration(onDone: () => void) {
  const [calibration, set] = useState(none);
  const stopper = useRef<AbortController | null>(null);
  useEffect(() => () => stopper.current?.abort(), []);

  async function start(body: CalibrationRequest) {
    stopper.current?.abort();
    const own = new AbortController();
    stopper.current = own;
    set({ ...none, state: 'running' });
    try {
      await postForEvents('/api/v1/calibrations', body, own.signal, (event) => {
        if (event.name === 'progress')
          set((now) => ({ ...now, progress: event.data as CalibrationProgress }));
        if (event.name === 'result')
          set((now) => ({ ...now, state: 'done', result: event.data as CalibrationResult }));
      });
      onDone();
    } catch (error) {
      if (stopper.current !== own) return;
      set(own.signal.aborted ? { ...none, state: 'stopped' } : { ...none, state: 'failed', error });
    }
  }

  return { calibration, start, stop: () => stopper.current?.abort() };
}
