import type { Person } from '../../support/given.js';
import type { World } from './world.js';

/** One request, as somebody sends it. */
export interface Call {
  readonly path: string;
  readonly body?: object | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, Buffer>>;
  /** No body is fine even where one is described. */
  readonly mayBeEmpty?: boolean;
}

/** How an operation is called. It is asked anew for each call, so that what a call deletes is there again. */
export type Caller = (world: World, actor: Person) => Call | readonly Call[] | Promise<Call | readonly Call[]>;

/** A call that is always the same. */
export const at =
  (path: string): Caller =>
  () => ({ path });
