import { CairnError } from 'cairn-client';
import { QueryClient } from '@tanstack/react-query';

const MAX_RETRIES = 2;
const FRESH_MS = 5_000;

/** Responses stay fresh for a moment. Only transient errors are retried. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always', // the server may run on this machine, without a network
      staleTime: FRESH_MS,
      retry: (failures, error) => failures < MAX_RETRIES && isTransient(error),
    },
    mutations: { networkMode: 'always' },
  },
});

const isTransient = (error: unknown): boolean => !(error instanceof CairnError) || error.status >= 500;
