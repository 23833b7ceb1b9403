import { MASK } from '../subscriptions/custom-headers.js';
import type { AnswerHeaders, SendResult, SendTimings } from '../../../engines/sender/exchange.js';

/** What was said in one try. Bodies and headers are cut, secrets masked. The request's body is the delivery's. */
export interface AttemptDetails {
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  readonly addresses: readonly string[];
  readonly reused: boolean;
  /** Milliseconds, to a tenth; null for what did not take place. */
  readonly timings: SendTimings;
}

export interface Said {
  readonly headers: Readonly<Record<string, string>>;
  /** Names of request headers whose values are nobody's business. */
  readonly masked: readonly string[];
  readonly result: SendResult;
  /** Of the answer's body, in characters. */
  readonly bytes: number;
}

/** Almost every header, and many a body. */
const PLAIN = /^[\t\n\r -~]*$/;
const MAX_HEADERS = 50;
const MAX_HEADER = 500;
/** Answers may set cookies: whoever reads the log must not be able to use them. */
const SECRET_ANSWER_HEADERS: readonly string[] = ['set-cookie', 'authorization', 'proxy-authenticate'];

/** The row of the log for one try. */
export function attemptDetails({ headers, masked, result, bytes }: Said): AttemptDetails {
  return {
    requestHeaders: kept(headers, masked),
    responseHeaders: kept(result.headers, SECRET_ANSWER_HEADERS),
    responseBody: storable(result.response.slice(0, bytes)),
    addresses: result.addresses,
    reused: result.reused,
    timings: {
      dns: tenth(result.timings.dns),
      connect: tenth(result.timings.connect),
      tls: tenth(result.timings.tls),
      firstByte: tenth(result.timings.firstByte),
      total: tenth(result.timings.total) ?? 0,
    },
  };
}

function kept(headers: AnswerHeaders, masked: readonly string[]): Record<string, string> {
  const secret = new Set(masked.map((name) => name.toLowerCase()));
  const texts: Record<string, string> = {};
  for (const name of Object.keys(headers).slice(0, MAX_HEADERS)) {
    const isSecret = secret.size > 0 && secret.has(name.toLowerCase());
    texts[name] = isSecret ? MASK : storable(String(headers[name] ?? '').slice(0, MAX_HEADER));
  }
  return texts;
}

const tenth = (milliseconds: number | null): number | null =>
  milliseconds === null ? null : Math.round(milliseconds * 10) / 10;

/** PostgreSQL cannot hold U+0000, and half a surrogate pair is not UTF-8. */
export const storable = (text: string): string =>
  PLAIN.test(text) ? text : Buffer.from(text.replaceAll('\0', '')).toString();
