import { createSecretKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiProperty } from '@nestjs/swagger';
import { CONFIG, type Config } from '../../config/config.js';
import { Clock } from '../../core/clock.js';
import { Db } from '../../core/database/db.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { Forbidden, InvalidList, NotFound, Throttled } from '../../core/http/errors/errors.js';
import { randomText } from '../../core/random-text.js';
import { ServerSecret } from '../../core/secret.js';
import { BODY_SIGNATURE_HEADER, verifyBody } from '../../engines/signature/body-signature.js';
import { openSecret, sealSecret } from '../../engines/signature/secret-box.js';
import { verifyStandard } from '../../engines/signature/standard-webhooks.js';
import { type Actor, isAdmin } from '../../shared/policy/actor.js';
import { TextField } from '../../core/http/body/fields.js';
import { type Arrival, type BoxRow, InspectRepository } from './inspect.repository.js';

export class CreateBoxDto {
  @TextField({
    max: 64,
    optional: true,
    blank: true,
    description: 'The secret of the webhook. If set, signatures are verified.',
  })
  secret?: string;
}

export class InspectBoxDto {
  @ApiProperty() id!: string;
  @ApiProperty({ format: 'uri', description: 'Target URL for a webhook. In a browser it shows the recorded requests.' })
  url!: string;
  @ApiProperty({ description: 'Whether signatures are verified' }) has_secret!: boolean;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time', description: 'When the URL and its recorded requests are deleted' })
  expiry_date!: string;
}

class InspectSignaturesDto {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Problem with `webhook-signature`. Null if it is valid.',
  })
  standard!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Problem with `X-Signature-256`. Null if it is valid.' })
  body!: string | null;
}

export class InspectArrivalDto {
  @ApiProperty() id!: number;
  @ApiProperty({ format: 'date-time' }) received_date!: string;
  @ApiProperty({ type: Object, additionalProperties: { type: 'string' } }) headers!: Readonly<Record<string, string>>;
  @ApiProperty({ description: 'Truncated to 64 KiB' }) body!: string;
  @ApiProperty({ description: 'Size of the complete body in bytes' }) size!: number;
  @ApiProperty({ type: InspectSignaturesDto, nullable: true, description: 'Null if the URL has no secret' })
  signatures!: InspectSignaturesDto | null;
}

const ID_LENGTH = 24;
const LIFE_MS = 24 * 3_600_000;
const MAX_BOXES = 10;
const MAX_ARRIVALS = 100;
const MAX_HEADERS = 100;
const MAX_HEADER = 2000;
/** Number of characters of a body that are stored. */
const MAX_TEXT = 65_536;
/** Maximum requests per second to all boxes of this process. */
const MAX_PER_SECOND = 100;

/** Boxes that store the requests sent to their URL, so that users can see what a webhook sends. */
@Injectable()
export class InspectService {
  private readonly key: KeyObject;
  private second = { number: 0, count: 0 };

  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly boxes: InspectRepository,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
    secret: ServerSecret,
  ) {
    this.key = createSecretKey(secret.keyFor('inspect secrets'));
  }

  /** @throws NotFound while boxes are disabled, InvalidList beyond the maximum number */
  create(actor: Actor, body: Unvalidated<CreateBoxDto>): Promise<InspectBoxDto> {
    this.requireOn();
    const { secret = '' } = body.validate();
    return this.work.run(async (tx) => {
      const now = tx.now;
      if ((await this.boxes.count(tx, actor.id, now)) >= MAX_BOXES)
        throw new InvalidList(`You have ${MAX_BOXES} receivers. Delete one, or wait until one expires.`);
      const row = await this.boxes.insert(tx, {
        id: randomText(ID_LENGTH),
        ownerId: actor.id,
        secret: secret === '' ? null : sealSecret(secret, this.key),
        now,
        expiry: new Date(now.getTime() + LIFE_MS),
      });
      return shown(row, actor);
    });
  }

  /** The actor's boxes, newest first. @throws NotFound while boxes are disabled */
  async list(actor: Actor): Promise<InspectBoxDto[]> {
    this.requireOn();
    return (await this.boxes.listOf(this.db, actor.id, this.clock.now())).map((row) => shown(row, actor));
  }

  async get(actor: Actor, id: string): Promise<InspectBoxDto> {
    return shown(await this.require(actor, id), actor);
  }

  async remove(actor: Actor, id: string): Promise<void> {
    const { id: known } = await this.require(actor, id);
    await this.work.run((tx) => this.boxes.remove(tx, known));
  }

  /** The received requests, oldest first. */
  async arrivals(actor: Actor, id: string, after?: number): Promise<InspectArrivalDto[]> {
    await this.require(actor, id);
    return this.boxes.arrivals(this.db, id, after);
  }

  /** @throws NotFound, Throttled at too many requests per second */
  async receive(id: string, headers: IncomingHttpHeaders, body: Buffer): Promise<void> {
    this.requireOn();
    const now = this.clock.now();
    this.count(now);
    const box = await this.boxes.find(this.db, id, now);
    if (box === undefined) throw NotFound.of('InspectBox');
    const arrival: Arrival = {
      headers: kept(headers),
      body: storable(body.toString('utf8').slice(0, MAX_TEXT)),
      size: body.length,
      signatures: this.checkSignatures(box, headers, body, now),
    };
    await this.work.run((tx) => this.boxes.add(tx, id, arrival, now, MAX_ARRIVALS));
  }

  /** @throws NotFound, Forbidden unless the actor is its owner or an administrator */
  private async require(actor: Actor, id: string): Promise<BoxRow> {
    this.requireOn();
    const box = await this.boxes.find(this.db, id, this.clock.now());
    if (box === undefined) throw NotFound.of('InspectBox');
    if (box.owner_id !== actor.id && !isAdmin(actor)) throw new Forbidden();
    return box;
  }

  get isEnabled(): boolean {
    return this.config.inspectEnabled;
  }

  private requireOn(): void {
    if (!this.isEnabled) throw new NotFound('Receivers are disabled. Set INSPECT_ENABLED=true to enable them.');
  }

  private count(now: Date): void {
    const number = Math.floor(now.getTime() / 1000);
    if (number !== this.second.number) this.second = { number, count: 0 };
    this.second.count += 1;
    if (this.second.count > MAX_PER_SECOND) throw new Throttled(1);
  }

  private checkSignatures(
    { secret: sealed }: BoxRow,
    headers: IncomingHttpHeaders,
    body: Buffer,
    now: Date,
  ): InspectSignaturesDto | null {
    if (sealed === null) return null;
    const secret = openSecret(sealed, this.key);
    const header = headers[BODY_SIGNATURE_HEADER.toLowerCase()];
    const given = typeof header === 'string' ? header : undefined;
    const wrong =
      given === undefined ? 'X-Signature-256 is missing' : 'X-Signature-256 does not match the body and the secret';
    return {
      standard: verifyStandard({ headers, body, secrets: [secret], now }),
      body: verifyBody(secret, body, given) ? null : wrong,
    };
  }
}

const shown = ({ id, secret, created_date, expiry_date }: BoxRow, { baseUrl }: Actor): InspectBoxDto => ({
  id,
  url: `${baseUrl}/inspect/${id}`,
  has_secret: secret !== null,
  created_date,
  expiry_date,
});

function kept(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).slice(0, MAX_HEADERS);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, storable([value].flat().join(', ').slice(0, MAX_HEADER))]),
  );
}

/** PostgreSQL cannot store U+0000 or lone surrogates. */
const storable = (text: string): string => Buffer.from(text.replaceAll('\0', '')).toString();
