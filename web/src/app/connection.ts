import { useSyncExternalStore } from 'react';

/** The state of the connection to the server. */
export interface Connection {
  /** The last request did not reach the server. */
  readonly isAway: boolean;
  /** The session has expired. */
  readonly isSessionOver: boolean;
  /** Name of another user who has logged in in this browser since. The session of this page is over then. */
  readonly otherUser: string | null;
}

let state: Connection = { isAway: false, isSessionOver: false, otherUser: null };
const NAMES = ['isAway', 'isSessionOver', 'otherUser'] as const;
const listeners = new Set<() => void>();

export const connection = {
  get: (): Connection => state,
  change(part: Partial<Connection>): void {
    const next = { ...state, ...part };
    if (NAMES.every((name) => next[name] === state[name])) return;
    state = next;
    for (const listener of listeners) listener();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

export const useConnection = (): Connection => useSyncExternalStore(connection.subscribe, connection.get);
