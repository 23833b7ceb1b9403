import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { requireAll } from '../../core/access/require.js';
import { isUniqueViolation } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { Invalid, InvalidList } from '../../core/http/errors/errors.js';
import { Urls } from '../../core/http/response/urls.js';
import { randomText } from '../../core/random-text.js';
import { unusablePassword } from '../../engines/password/encoded-password.js';
import { type Actor, contextOrganization } from '../../shared/policy/actor.js';
import { invitationPolicy } from '../../shared/policy/invitation.policy.js';
import { MembershipChanges } from '../memberships/index.js';
import { awaitsRegistration, UserChanges } from '../users/index.js';
import { InvitationChanges } from './invitation.service.js';
import { type CreateInvitationDto, type InvitationDto, toInvitation } from './invitation.dto.js';
import { InvitationRepository, type Invitee } from './invitation.repository.js';

const KEY_LENGTH = 64;
/** Characters that e-mail addresses can have and user names cannot, such as the quote in `o'neil@example.org`. */
const NOT_IN_NAMES = /[^\p{L}\p{N}_.@+-]/gu;
const UNKNOWN = 'There is no account with this e-mail address, and registration is closed on this server.';

/** Invites people by their e-mail address. */
@Injectable()
export class InvitationCreation {
  constructor(
    private readonly work: UnitOfWork,
    private readonly users: UserChanges,
    private readonly memberships: MembershipChanges,
    private readonly changes: InvitationChanges,
    private readonly rows: InvitationRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Creates a membership and its invitation. The membership of an existing account is active at once, unless the server
   * verifies e-mail addresses and this one is not verified: then the invitee is sent a link. An unknown address is sent a
   * link, too, and gets an account that registration completes.
   */
  async create(actor: Actor, body: Unvalidated<CreateInvitationDto>): Promise<InvitationDto> {
    const organization = contextOrganization(actor);
    const facts = { ownerId: actor.id, inviteeId: null, role: String(body.raw['role']), organization };
    requireAll(invitationPolicy, ['create'], actor, facts);
    const dto = body.validate();
    if (organization === null)
      throw new InvalidList('No organization is selected. Set "org", "org_id" or "X-Organization".');
    try {
      return await this.work.run((tx) => this.invite(tx, actor, organization.id, dto));
    } catch (error) {
      throw translated(error);
    }
  }

  private async invite(tx: Tx, actor: Actor, organizationId: number, dto: CreateInvitationDto): Promise<InvitationDto> {
    const key = randomText(KEY_LENGTH);
    const invitee = (await this.rows.invitee(tx, dto.email)) ?? (await this.createInvitee(tx, actor, dto.email));
    const membershipId = await this.memberships.add(tx, actor, invitee.id, organizationId, dto.role);
    await this.changes.add(tx, actor, key, membershipId);
    if (awaitsRegistration(invitee) || !this.trusts(invitee)) await this.changes.send(tx, key);
    else await this.memberships.activate(tx, actor, membershipId);
    return toInvitation(await this.changes.read(tx, key), new Urls(actor.baseUrl));
  }

  /** Whether the e-mail address is trusted to be the account owner's. */
  private trusts(invitee: Invitee): boolean {
    return invitee.email_verified || this.config.emailVerification === 'none';
  }

  private async createInvitee(tx: Tx, actor: Actor, email: string): Promise<Invitee> {
    if (this.config.registration === 'closed') throw new Invalid({ email: [UNKNOWN] });
    const username = email.replace(NOT_IN_NAMES, '').slice(0, 150);
    const invitee = { username, email, email_verified: false, password: unusablePassword() };
    if (!(await this.users.isNameFree(invitee.username, null, tx)))
      throw new InvalidList('Another user has this e-mail address as their user name.');
    const change = { by: actor, baseUrl: actor.baseUrl };
    return { ...invitee, id: await this.users.add(tx, change, { ...invitee, dateJoined: tx.now }) };
  }
}

function translated(error: unknown): unknown {
  if (isUniqueViolation(error, 'ix_membership_organization_id_user_id')) {
    return new InvalidList('The user is a member of the organization already.');
  }
  return error;
}
