import type { Actor } from '../../policy/actor.js';
import type { ListOrganization } from './list.service.js';

/** How the organization that a request names narrows a list. */
export function listOrganization({ context }: Actor): ListOrganization {
  return context.kind === 'organization' ? { id: context.id } : context.kind;
}
