/** One run of many questions: its results as they come, and a way to stop it. */
import { useEffect, useRef, useState } from 'react';
import type { CaseResultView, TotalsView } from '../../api/generated/types.gen';
import { postForEvents } from '../../api/stream';

export interface Run {
  state: 'idle' | 'running' | 'done' | 'stopped' | 'failed';
  results: CaseResultView[];
  totals: TotalsView | null;
  error: unknown;
}

export const noRun: Run = { state: 'idle', results: [], totals: null, error: null };

export interface Order {
  url: string;
  body: unknown;
}

/** Runs the orders one after another; each has its own results. */
export function useRun() {
  const [runs, setRuns] = useState<Run[]>([]);
  const stopper = useRef<AbortController | null>(null);
  useEffect(() => () => stopper.current?.abort(), []);

  const change = (at: number, part: (run: Run) => Partial<Run>) =>
    setRuns((all) => all.map((run, index) => (index === at ? { ...run, ...part(run) } : run)));

  async function start(orders: Order[]) {
    stopper.current?.abort();
    const own = new AbortController();
    stopper.current = own;
    setRuns(orders.map(() => noRun));
    for (const [at, { url, body }] of orders.entries()) {
      change(at, () => ({ state: 'running' }));
      try {
        await postForEvents(url, body, own.signal, (event) => {
          if (own.signal.aborted) return;
          if (event.name === 'result')
            change(at, (run) => ({ results: [...run.results, event.data as CaseResultView] }));
          if (event.name === 'totals')
            change(at, () => ({ totals: event.data as TotalsView, state: 'done' }));
        });
      } catch (error) {
        if (stopper.current !== own) return;
        change(at, () => (own.signal.aborted ? { state: 'stopped' } : { state: 'failed', error }));
        return;
      }
    }
  }

  const stop = () => stopper.current?.abort();
  return { runs, start, stop, isRunning: runs.some((run) => run.state === 'running') };
}
