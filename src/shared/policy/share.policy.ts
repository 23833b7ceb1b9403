import { type Actor, hasPrivilege } from './actor.js';

/** Who sees what lies in the shared folder, and makes tasks of it. It belongs to no organization. */
export const mayReadShare = (actor: Actor): boolean => hasPrivilege(actor, 'user');
