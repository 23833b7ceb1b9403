import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { requireAll } from '../../core/access/require.js';
import type { Tx } from '../../core/database/tx.js';
import { isUniqueViolation } from '../../core/database/unique-violation.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body.js';
import { Invalid, InvalidList } from '../../core/http/errors.js';
import { Urls } from '../../core/http/urls.js';
import { randomText } from '../../core/random-text.js';
import { unusablePassword } from '../../engines/password/encoded-password.js';
import { type Actor, contextOrganization } from '../../shared/policy/actor.js';
import { invitationPolicy } from '../../shared/policy/invitation.policy.js';
import { Memberships } from '../memberships/index.js';
import { awaitsRegistration, People } from '../users/index.js';
import type { CreateInvitationDto, InvitationDto } from './invitation.dto.js';
import { toInvitation } from './invitation.mapper.js';
import { type Invitee, InvitationRepository } from './invitation.repository.js';
import { Invitations } from './invitations.js';

const KEY_LENGTH = 64;
/** User names have fewer characters than addresses: `o'neil@example.org` is one. */
const NOT_IN_NAMES = /[^\p{L}\p{N}_.@+-]/gu;
const NOBODY = 'Nobody has an account with this e-mail address, and registration is closed on this server.';

/** Inviting people by their e-mail address. */
@Injectable()
export class InviteService {
  constructor(
    @Inject(UnitOfWork) private readonly work: UnitOfWork,
    @Inject(People) private readonly people: People,
    @Inject(Memberships) private readonly memberships: Memberships,
    @Inject(Invitations) private readonly invitations: Invitations,
    @Inject(InvitationRepository) private readonly repository: InvitationRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Makes a membership and its invitation. Who has an account is a member at once, unless e-mail addresses are verified
   * here and theirs is not; they are sent the link. So is an unknown address, for which an account is made that waits to be
   * registered.
   */
  async create(actor: Actor, body: Unvalidated<CreateInvitationDto>): Promise<InvitationDto> {
    const organization = contextOrganization(actor);
    const facts = { ownerId: actor.id, inviteeId: null, role: String(body.raw['role']), organization };
    requireAll(invitationPolicy, ['create'], actor, facts);
    const dto = body.validate();
    if (organization === null)
      throw new InvalidList('An organization must be named, by "org", "org_id" or "X-Organization".');
    try {
      return await this.work.run((tx) => this.invite(tx, actor, organization.id, dto));
    } catch (error) {
      throw known(error);
    }
  }

  private async invite(tx: Tx, actor: Actor, organizationId: number, dto: CreateInvitationDto): Promise<InvitationDto> {
    const key = randomText(KEY_LENGTH);
    const invitee = (await this.repository.invitee(tx, dto.email)) ?? (await this.makeInvitee(tx, actor, dto.email));
    const membershipId = await this.memberships.add(tx, actor, invitee.id, organizationId, dto.role);
    await this.invitations.add(tx, actor, key, membershipId);
    if (awaitsRegistration(invitee) || !this.trusts(invitee)) await this.invitations.send(tx, key);
    else await this.memberships.activate(tx, actor, membershipId);
    return toInvitation(await this.invitations.read(tx, key), new Urls(actor.baseUrl));
  }

  /** Is the address believed to be that of the account's owner? */
  private trusts(invitee: Invitee): boolean {
    return invitee.email_verified || this.config.emailVerification === 'none';
  }

  private async makeInvitee(tx: Tx, actor: Actor, email: string): Promise<Invitee> {
    if (this.config.registration === 'closed') throw new Invalid({ email: [NOBODY] });
    const username = email.replace(NOT_IN_NAMES, '').slice(0, 150);
    const invitee = { username, email, email_verified: false, password: unusablePassword() };
    if (!(await this.people.isNameFree(tx, invitee.username, null)))
      throw new InvalidList('Somebody else uses this e-mail address as a user name.');
    const change = { by: actor, baseUrl: actor.baseUrl };
    return { ...invitee, id: await this.people.add(tx, change, { ...invitee, dateJoined: tx.now }) };
  }
}

function known(error: unknown): unknown {
  if (isUniqueViolation(error, 'ix_membership_organization_id_user_id')) {
    return new InvalidList('The user is a member of the organization already.');
  }
  return error;
}
