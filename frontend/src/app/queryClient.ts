import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ProblemError } from '../api';
import { sessionKey } from './session';

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      // The session ended while the page was open: asking again who we are leads to the sign-in page.
      if (error instanceof ProblemError && error.status === 401) {
        queryClient.setQueryData(sessionKey, null);
      }
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (failures, error) =>
        failures < 2 && (!(error instanceof ProblemError) || error.status === 0 || error.status >= 502),
    },
    mutations: { retry: false },
  },
});
