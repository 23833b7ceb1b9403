import { Inject, Injectable } from '@nestjs/common';
import { requireAll } from '../../../core/access/require.js';
import { CONFIG, type Config } from '../../../config/config.js';
import { ChangeLog } from '../../../core/event-log/change-log.js';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../../core/http/body/body.js';
import { Invalid, InvalidList } from '../../../core/http/errors/errors.js';
import { namedId } from '../../../core/http/request/ids.js';
import { Urls } from '../../../core/http/response/urls.js';
import { type Actor, contextOrganization } from '../../../shared/policy/actor.js';
import { projectPolicy } from '../../../shared/policy/project.policy.js';
import { webhookPolicy } from '../../../shared/policy/webhook.policy.js';
import { join } from '../../../engines/sql/sql.js';
import { generateSecret } from '../../../engines/signature/standard-webhooks.js';
import { deliverySettings, requireSettings } from './webhook-settings.js';
import type { CreateWebhookDto, WebhookDto } from './webhook.dto.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { toWebhook } from './webhook.mapper.js';
import { WebhookRepository } from './webhook.repository.js';
import { WebhookTargets } from './target-url.js';
import { requireEvents } from './webhook.service.js';

/** The organization or project that a webhook belongs to. */
interface WebhookScope {
  readonly projectId: number | null;
  readonly organizationId: number | null;
}

/** Creates webhooks. */
@Injectable()
export class WebhookCreation {
  constructor(
    private readonly work: UnitOfWork,
    private readonly webhooks: WebhookRepository,
    private readonly secrets: WebhookSecrets,
    @Inject(CONFIG) private readonly config: Config,
    private readonly targets: WebhookTargets,
    private readonly changes: ChangeLog,
  ) {}

  /** Checks the permission on the raw body, before validating it. @throws Forbidden, Invalid, InvalidList */
  async create(actor: Actor, body: Unvalidated<CreateWebhookDto>): Promise<WebhookDto & { secret?: string }> {
    const { target_url: url } = body.raw;
    if (this.targets.needsLookup(url)) {
      // Not within the transaction, because a name server may take its time.
      await this.work.run((tx) => this.permittedScope(tx, actor, body.raw));
      await this.targets.requireAllowedName(url);
    }
    return this.work.run(async (tx) => {
      const scope = await this.permittedScope(tx, actor, body.raw);
      const dto = body.validate();
      this.targets.require(dto.target_url, actor);
      requireEvents(dto.events, dto.type);
      requireScope(dto, scope);
      requireSettings(dto);
      const secret = secretOf(dto);
      const id = await this.webhooks.insert(tx, {
        targetUrl: dto.target_url,
        description: dto.description ?? '',
        type: dto.type,
        contentType: dto.content_type ?? 'application/json',
        secret: this.secrets.seal(secret),
        isActive: dto.is_active ?? true,
        enableSsl: dto.enable_ssl ?? true,
        apiVersion: dto.api_version ?? this.config.webhooks.defaultApiVersion,
        ownerId: actor.id,
        ...scope,
        events: [...dto.events].sort(),
        now: tx.now,
      });
      const settings = deliverySettings(dto, null);
      if (settings.length > 0) await this.webhooks.set(tx, id, join(settings, ', '));
      const found = await this.webhooks.find(tx, id, actor.id);
      if (found === undefined) throw new Error(`Webhook ${id} was not found in the transaction that created it`);
      const webhook = toWebhook(found.row, new Urls(actor.baseUrl));
      this.changes.record(tx, actor, 'create:webhook', { object: webhook }, scope);
      return dto.generate_secret === true ? { ...webhook, secret } : webhook;
    });
  }

  private async permittedScope(tx: Tx, actor: Actor, raw: Readonly<Record<string, unknown>>): Promise<WebhookScope> {
    const organization = contextOrganization(actor);
    const facts = { ownerId: null, projectOwnerId: null, organization };
    const named = raw['project_id'] ?? raw['project'];
    const projectId = namedId(named);
    if (raw['type'] === 'organization' && named == null) {
      requireAll(webhookPolicy, ['create@organization'], actor, facts);
      return { projectId: null, organizationId: organization?.id ?? null };
    }
    if (raw['type'] === 'project' && projectId !== undefined) return this.permittedProject(tx, actor, projectId);
    const scope = raw['type'] === 'project' ? 'create@project' : 'create';
    requireAll(webhookPolicy, [scope], actor, facts);
    return { projectId: null, organizationId: null };
  }

  private async permittedProject(tx: Tx, actor: Actor, id: number): Promise<WebhookScope> {
    const project = await this.webhooks.project(tx, id, actor.id);
    if (project === undefined) throw new InvalidList('Project matching query does not exist.');
    requireAll(webhookPolicy, ['create@project'], actor, {
      ownerId: null,
      projectOwnerId: project.ownerId,
      organization: contextOrganization(actor),
    });
    requireAll(projectPolicy, ['view@request'], actor, project);
    return { projectId: id, organizationId: project.organization?.id ?? null };
  }
}

/** The given secret, or a generated one if requested. @throws Invalid if the body asks for both */
function secretOf(dto: CreateWebhookDto): string {
  if (dto.generate_secret !== true) return dto.secret ?? '';
  if ((dto.secret ?? '') === '') return generateSecret();
  throw new Invalid({ generate_secret: ['Set either secret or generate_secret, not both.'] });
}

/** The permission check accepts a body that names no scope, or two; this does not. @throws Invalid */
function requireScope(dto: CreateWebhookDto, scope: WebhookScope): void {
  const named = (dto.project_id ?? dto.project) != null;
  if (dto.type === 'project') {
    if (scope.projectId !== null) return;
    throw new Invalid({ project_id: [named ? 'A valid integer is required.' : 'This field is required.'] });
  }
  if (named) throw new Invalid({ project_id: [`Webhooks of the type ${dto.type} have no project. Omit this field.`] });
  if (dto.type === 'server') return;
  if (scope.organizationId === null)
    throw new Invalid({ non_field_errors: ['Set the parameter "org" to the organization of the webhook.'] });
}
