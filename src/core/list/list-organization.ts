import { type Actor, isAdmin } from '../../shared/policy/actor.js';
import { isMember } from '../../shared/policy/rules.js';
import { Forbidden } from '../http/errors/errors.js';
import type { ListOrganization } from './list.service.js';

/**
 * How the organization that a request names restricts a list.
 * @throws Forbidden if the actor is not an active member of the organization
 */
export function listOrganization(actor: Actor): ListOrganization {
  const { context } = actor;
  if (context.kind !== 'organization') return context.kind;
  if (!isAdmin(actor) && !isMember(context)) throw new Forbidden();
  return { id: context.id };
}
