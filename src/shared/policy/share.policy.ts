import { type Actor, hasPrivilege } from './actor.js';

/** Who may list the shared folder and create tasks from it. It belongs to no organization. */
export const mayReadShare = (actor: Actor): boolean => hasPrivilege(actor, 'user');
