/**
 * Follows a run that is still open. What arrives is gathered and shown at most every 60 ms, so that a fast
 * model does not cost a rendering a word; leaving the page ends the listening, never the run.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { follow, type ServerEvent } from '../../api/events';
import type { RunOut } from '../../api/generated/types.gen';
import { storeRun } from './conversationCache';
import { applyEvent, type GrowingRun, isOpen, rewound } from './liveRun';

const frameMs = 60;

export interface LiveRun {
  run: GrowingRun;
  connection: 'open' | 'lost';
  error: unknown;
}

export function useLiveRun(saved: RunOut): LiveRun {
  const client = useQueryClient();
  const [live, setLive] = useState<GrowingRun | null>(null);
  const [connection, setConnection] = useState<'open' | 'lost'>('open');
  const [error, setError] = useState<unknown>(null);
  const following = isOpen(saved);

  // biome-ignore lint/correctness/useExhaustiveDependencies: one stream a run, whatever its record says meanwhile
  useEffect(() => {
    if (!following) return;
    const controller = new AbortController();
    let current = rewound(saved);
    let waiting: ServerEvent[] = [];
    let timer: number | undefined;
    const flush = () => {
      timer = undefined;
      current = waiting.reduce(applyEvent, current);
      waiting = [];
      if (isOpen(current)) setLive(current);
      else {
        storeRun(client, current);
        setLive(null);
      }
    };
    follow({
      url: `/api/v1/runs/${saved.id}/events`,
      signal: controller.signal,
      isLast: (event) => event.name === 'run.finished',
      onConnection: setConnection,
      onEvent: (event) => {
        waiting.push(event);
        timer ??= window.setTimeout(flush, frameMs);
      },
    }).catch(setError);
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [saved.id, following]);

  return { run: following ? (live ?? saved) : saved, connection, error };
}
