import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { InvalidString } from '../../core/http/errors/errors.js';
import { ServerSecret } from '../../core/secret.js';

const VALID_MS = 8 * 3_600_000;

/** What a state belongs to. */
export interface StateOwner {
  readonly functionId: string;
  readonly taskId: number;
}

interface Content {
  readonly f: string;
  readonly t: number;
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly agent: string | null;
  readonly state: unknown;
}

/**
 * Gives clients the states of trackers as signed texts, so that the server need not store them. A state is valid only for
 * its function and task, and only for some hours.
 */
@Injectable()
export class TrackerStates {
  private readonly key: Buffer;

  constructor(
    secret: ServerSecret,
    private readonly clock: Clock,
  ) {
    this.key = secret.keyFor('states of trackers');
  }

  /** @param agentId the agent that has the state in its memory, if any */
  sign(state: unknown, { functionId, taskId }: StateOwner, agentId: string | null): string {
    const until = this.clock.now().getTime() + VALID_MS;
    const content: Content = { f: functionId, t: taskId, until, agent: agentId, state };
    const json = JSON.stringify(content);
    return `${this.signature(json).toString('base64url')}.${json}`;
  }

  /** @throws InvalidString */
  open(
    signed: string,
    { functionId, taskId }: StateOwner,
  ): { readonly state: unknown; readonly agentId: string | null } {
    const end = signed.indexOf('.');
    const json = signed.slice(end + 1);
    const [sent, expected] = [Buffer.from(signed.slice(0, Math.max(0, end)), 'base64url'), this.signature(json)];
    if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) throw invalid();
    const { f, t, until, agent, state } = JSON.parse(json) as Content;
    if (f !== functionId || t !== taskId || until < this.clock.now().getTime()) throw invalid();
    return { state, agentId: agent };
  }

  private signature(json: string): Buffer {
    return createHmac('sha256', this.key).update(json).digest();
  }
}

const invalid = (): InvalidString => new InvalidString('Invalid or expired tracker state');
