import { CairnError } from 'cairn-client';
import { QueryClient } from '@tanstack/react-query';

const ATTEMPTS = 2;
const FRESH_MS = 5_000;

/** What was asked stays fresh for a moment; failures that will not pass by themselves are not tried again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always', // the server may be this machine, without any network
      staleTime: FRESH_MS,
      retry: (failures, error) => failures < ATTEMPTS && isPassing(error),
    },
    mutations: { networkMode: 'always' },
  },
});

const isPassing = (error: unknown): boolean => !(error instanceof CairnError) || error.status >= 500;
