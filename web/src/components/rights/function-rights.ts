import type { Actor } from '#shared/policy/actor';
import { type FunctionFacts, functionPolicy } from '#shared/policy/function.policy';
import type { NativeFunction } from '../../app/api';
import { actorOf, type Membership, organizationOf, type Owned } from './rights';
import { useMembershipsIn } from './use-rights';

/** Permissions for a function of agents. */
class FunctionRights {
  private readonly actor: Actor;
  private readonly facts: FunctionFacts;

  constructor(membership: Membership, { owner, visibility }: Pick<Owned, 'owner'> & { readonly visibility: string }) {
    this.actor = actorOf(membership);
    this.facts = {
      ownerId: owner?.id ?? null,
      isPublic: visibility === 'public',
      organization: organizationOf(membership),
    };
  }

  get change(): boolean {
    return functionPolicy.allow('update', this.actor, this.facts);
  }

  /** Includes withdrawing it. */
  get publish(): boolean {
    return this.change && functionPolicy.allow('publish', this.actor, this.facts);
  }

  get delete(): boolean {
    return functionPolicy.allow('delete', this.actor, this.facts);
  }
}

/** @returns the user's permissions for the function, or undefined while loading */
export function useFunctionRights(one: NativeFunction): FunctionRights | undefined {
  const membershipIn = useMembershipsIn([one.organization]);
  return membershipIn && new FunctionRights(membershipIn(one.organization), one);
}
