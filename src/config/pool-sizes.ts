/** Connections of a process in addition to its pool: its own one, and a short one at the start. */
export const CONNECTIONS_BESIDE_POOL = 2;

/** A background request needs few connections, and there may be many of its processes. */
const REQUEST_POOL_SIZE = 5;

/** The size of the pool of a process that executes background requests. @param poolSize that of other processes */
export const requestPoolSize = (poolSize: number): number => Math.min(poolSize, REQUEST_POOL_SIZE);
