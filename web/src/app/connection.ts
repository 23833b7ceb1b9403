import { useSyncExternalStore } from 'react';

/** The state of the connection to the server. */
export interface Connection {
  /** The last request did not reach the server. */
  readonly isAway: boolean;
  /** The session has expired. */
  readonly isSessionOver: boolean;
}

let state: Connection = { isAway: false, isSessionOver: false };
const listeners = new Set<() => void>();

export const connection = {
  get: (): Connection => state,
  change(part: Partial<Connection>): void {
    const next = { ...state, ...part };
    if (next.isAway === state.isAway && next.isSessionOver === state.isSessionOver) return;
    state = next;
    for (const listener of listeners) listener();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

export const useConnection = (): Connection => useSyncExternalStore(connection.subscribe, connection.get);
