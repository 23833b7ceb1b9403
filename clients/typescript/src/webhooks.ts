import type { WebhookPayloads } from './events.js';

/** API versions of payloads: the `api_version` of a webhook. */
export type WebhookVersion = keyof WebhookPayloads;

/** `update:task`, `ping`, … */
export type WebhookEvent = keyof WebhookPayloads[WebhookVersion];

/**
 * A verified delivery. The type of `payload` follows from `event`, for events of the server itself and for webhooks that
 * send full objects without batches.
 */
export type WebhookMessage<Version extends WebhookVersion = WebhookVersion> = {
  readonly [Event in WebhookEvent]: {
    /** The same for all attempts and redeliveries, to detect duplicates. Null without Standard Webhooks. */
    readonly id: string | null;
    readonly event: Event;
    readonly payload: Omit<WebhookPayloads[Version][Event], 'event'> & { readonly event: Event };
  };
}[WebhookEvent];

/** A delivery with an invalid signature. */
export class WebhookSignatureError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WebhookSignatureError';
  }
}

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /**
   * Which signature counts. `standard` (the default): that of Standard Webhooks, which cannot be replayed later. `body`:
   * `X-Signature-256`, which CVAT sends, too. `any`: the first where there is one, else the second.
   */
  readonly scheme?: 'standard' | 'body' | 'any';
  /** Maximum difference between the time of sending and now. Default: 300. */
  readonly toleranceSeconds?: number;
  readonly now?: Date;
}

const PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Verifies the signature of a delivery.
 * @param headers of the request; names in any case
 * @param body exactly as received
 * @param secrets the secret of the webhook; during a rotation, the old and the new one
 * @typeParam Version the `api_version` of the webhook
 * @throws WebhookSignatureError
 */
export async function verifyWebhook<Version extends WebhookVersion = WebhookVersion>(
  headers: WebhookHeaders,
  body: Uint8Array | string,
  secrets: readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookMessage<Version>> {
  if (secrets.length === 0 || secrets.includes('')) throw new WebhookSignatureError('There is no secret to check with');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const { scheme = 'standard' } = options;
  const isStandard = scheme === 'standard' || (scheme === 'any' && header(headers, 'webhook-signature') !== undefined);
  const id = isStandard ? await checkStandard(headers, bytes, secrets, options) : null;
  if (!isStandard) await checkBody(headers, bytes, secrets);
  const payload = JSON.parse(new TextDecoder().decode(bytes)) as { readonly event: WebhookEvent };
  return { id, event: payload.event, payload } as WebhookMessage<Version>;
}

async function checkStandard(
  headers: WebhookHeaders,
  body: Uint8Array,
  secrets: readonly string[],
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions,
): Promise<string> {
  const id = header(headers, 'webhook-id');
  const seconds = header(headers, 'webhook-timestamp');
  const given = header(headers, 'webhook-signature');
  if (id === undefined || seconds === undefined || given === undefined)
    throw new WebhookSignatureError('webhook-id, webhook-timestamp or webhook-signature is missing');
  if (!/^\d{1,12}$/.test(seconds)) throw new WebhookSignatureError('webhook-timestamp is not a number of seconds');
  if (Math.abs(now.getTime() / 1000 - Number(seconds)) > toleranceSeconds)
    throw new WebhookSignatureError('webhook-timestamp is too far from now');
  const signed = concat(new TextEncoder().encode(`${id}.${seconds}.`), body);
  const signatures = given.split(' ').flatMap((one) => (one.startsWith('v1,') ? decodeBase64(one.slice(3)) : []));
  if (!(await isSigned(signed, secrets.map(standardKey), signatures)))
    throw new WebhookSignatureError('webhook-signature was not made with this secret');
  return id;
}

async function checkBody(headers: WebhookHeaders, body: Uint8Array, secrets: readonly string[]): Promise<void> {
  const hex = /^sha256=((?:[0-9a-f]{2})+)$/.exec(header(headers, 'x-signature-256') ?? '')?.[1];
  if (hex === undefined) throw new WebhookSignatureError('X-Signature-256 is missing');
  const signature = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const keys = secrets.map((secret) => new TextEncoder().encode(secret));
  if (!(await isSigned(concat(body), keys, [signature])))
    throw new WebhookSignatureError('X-Signature-256 was not made with this secret');
}

/** Whether one of the signatures matches one of the keys. The platform compares in constant time. */
async function isSigned(
  message: Uint8Array<ArrayBuffer>,
  keys: readonly Uint8Array<ArrayBuffer>[],
  signatures: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures) if (await crypto.subtle.verify('HMAC', key, signature, message)) return true;
  }
  return false;
}

/** Decodes a secret with the prefix `whsec_`. Other secrets are used as text. */
function standardKey(secret: string): Uint8Array<ArrayBuffer> {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  return (encoded === '' ? undefined : decodeBase64(encoded)[0]) ?? new TextEncoder().encode(secret);
}

/** @returns undefined for invalid base64 */
const decodeBase64 = (text: string): Uint8Array<ArrayBuffer>[] =>
  BASE64.test(text) ? [Uint8Array.from(atob(text), (character) => character.charCodeAt(0))] : [];

function header(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : undefined;
}

/** Copies bytes to a buffer of their own, as the platform's functions require. */
function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) {
    whole.set(part, end);
    end += part.length;
  }
  return whole;
}
