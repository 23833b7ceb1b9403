import { isUtf8 } from 'node:buffer';
import { type ExecutionContext, type Type, createParamDecorator } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import express, { type Request, type Response } from 'express';
import { ExcessiveJson, parseLargeJson } from '../../engines/filter/large-json.js';
import { isDeeperThan } from '../../engines/filter/json-value.js';
import { describeJsonError } from '../../engines/filter/python-json-error.js';
import { ApiError, Invalid, UnsupportedMediaType } from './errors.js';
import { pythonType, readObject } from './field.js';

/**
 * The body of a request before it is judged. The contract refuses what a caller may not do (403) before it looks at the
 * values (400), so a handler hands this on and the service validates after its permission check.
 */
export class Unvalidated<T extends object> {
  constructor(
    /** The JSON object as sent. */
    readonly raw: Readonly<Record<string, unknown>>,
    private readonly type: Type<T>,
  ) {}

  /** Does the body name this key at all? */
  has(key: keyof T & string): boolean {
    return Object.hasOwn(this.raw, key);
  }

  /**
   * The typed body.
   * @throws Invalid with an error object that mirrors the body
   */
  validate(): T {
    return validated(this.type, this.raw);
  }
}

/** Far above what any body needs; the reading of typed bodies costs call stack for each level. */
const MAX_DEPTH = 64;
/** Elements of all lists of objects in a body. */
const MAX_NESTED = 25_000;

/**
 * Reads a plain object as `type` and checks it.
 * @param maxNested elements that its lists of objects may have together
 * @throws Invalid
 */
export function validated<T extends object>(
  type: Type<T>,
  raw: Readonly<Record<string, unknown>>,
  maxNested = MAX_NESTED,
): T {
  if (isDeeperThan(raw, MAX_DEPTH))
    throw new Invalid({ non_field_errors: [`Values are nested more than ${MAX_DEPTH} levels deep.`] });
  const reading = readObject(type, raw, { limit: maxNested, left: maxNested });
  if ('problem' in reading) throw new Invalid(reading.problem as Record<string, unknown>);
  return reading.value as T;
}

export interface BodyOptions {
  /** Which of the configured limits holds for the size. */
  readonly limit?: 'json' | 'annotations';
}

/** Sizes of bodies in bytes; set from the configuration when the application is made. */
export const bodyLimits = { json: 10 * 2 ** 20, annotations: 512 * 2 ** 20 };

/** Parameter: the JSON object of the request as an `Unvalidated<Dto>`; an empty body counts as `{}`. */
export function JsonBody<T extends object>(type: Type<T>, options: BodyOptions = {}): ParameterDecorator {
  const parameter = createParamDecorator(async (_: unknown, context: ExecutionContext) => {
    return new Unvalidated(requireObject(await readJson(context, options)), type);
  })();
  return (target, key, index) => {
    parameter(target, key, index);
    if (key === undefined) return;
    const descriptor = Object.getOwnPropertyDescriptor(target, key);
    if (descriptor !== undefined) ApiBody({ type })(target, key, descriptor as TypedPropertyDescriptor<object>);
  };
}

/** Reads the JSON value of the request, unchecked. @throws ApiError 400, 413, UnsupportedMediaType */
export type ReadJson = () => Promise<unknown>;

/**
 * Parameter: a `ReadJson` for large bodies with an engine of their own. The handler checks the permission first, so that a
 * caller without it costs next to nothing.
 */
export const LazyJsonBody = createParamDecorator(
  (options: BodyOptions | undefined, context: ExecutionContext): ReadJson =>
    () =>
      readJson(context, options ?? {}),
);

async function readJson(context: ExecutionContext, options: BodyOptions): Promise<unknown> {
  const http = context.switchToHttp();
  const request = http.getRequest<Request>();
  const limit = bodyLimits[options.limit ?? 'json'];
  const bytes = await readBytes(request, http.getResponse<Response>(), limit);
  if (bytes.length === 0) return {};
  const type = request.headers['content-type'] ?? '';
  if (type.split(';')[0]?.trim().toLowerCase() !== 'application/json') throw new UnsupportedMediaType(type);
  return parseJson(bytes);
}

/** JSON as the contract reads it. @throws ApiError 400 that says where it breaks off */
async function parseJson(bytes: Buffer): Promise<unknown> {
  if (!isUtf8(bytes)) throw new ApiError(400, { detail: 'JSON parse error - The body is not UTF-8.' });
  try {
    return await parseLargeJson(bytes);
  } catch (error) {
    const fault = error instanceof ExcessiveJson ? error.message : describeJsonError(bytes.toString('utf8'));
    throw new ApiError(400, { detail: `JSON parse error - ${fault}` });
  }
}

/** An object in JSON. @throws ApiError 400 */
export const parseJsonObject = async (bytes: Buffer): Promise<Record<string, unknown>> =>
  requireObject(await parseJson(bytes));

function requireObject(json: unknown): Record<string, unknown> {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Record<string, unknown>;
  throw new Invalid({ non_field_errors: [`Invalid data. Expected a dictionary, but got ${pythonType(json)}.`] });
}

/**
 * A compressed body may be this many times as large once it is decompressed. Measured by gzip on 50,000 shapes: 10 to 17
 * times with points of their own, 62 times for the same box on every frame.
 */
const MAX_RATIO = 100;
/** Bodies up to this size may be of any ratio. */
const FREE_BYTES = 2 ** 20;

/** The limit for a request, which a small compressed body that unpacks to a huge one does not reach. */
function limitOf({ headers }: Request, limit: number): number {
  if ((headers['content-encoding'] ?? 'identity') === 'identity') return limit;
  const sent = headers['content-length'];
  const unpacked = sent === undefined ? bodyLimits.json : Math.max(FREE_BYTES, MAX_RATIO * Number(sent));
  return Math.min(limit, unpacked);
}

/**
 * The whole body, decompressed.
 * @throws ApiError 413 above `limit` bytes or for a compressed body that unpacks to far more, 400 when it breaks off
 */
export function readBytes(request: Request, response: Response, most: number): Promise<Buffer> {
  const limit = limitOf(request, most);
  return new Promise((resolve, reject) => {
    express.raw({ type: () => true, limit })(request, response, (error?: unknown) => {
      if (error === undefined) {
        const body: unknown = request.body;
        request.body = undefined; // so that the bytes can be freed while their values are processed
        if (Buffer.isBuffer(body)) resolve(body);
        // Of a client that has left before its body was read the parser says that there is none.
        else if (saysBody(request)) reject(bodyError(new Error('the client has left'), limit));
        else resolve(Buffer.alloc(0));
      } else {
        reject(bodyError(error, limit));
      }
    });
  });
}

const saysBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function bodyError(error: unknown, limit: number): ApiError {
  const status = (error as { status?: unknown }).status;
  if (status === 413) return new ApiError(413, { detail: `The body is larger than the limit of ${limit} bytes.` });
  if (status === 415) return new ApiError(415, { detail: 'Unsupported content encoding in request.' });
  return new ApiError(400, { detail: 'The body could not be read to its end.' });
}
