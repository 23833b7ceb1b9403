import { isUtf8 } from 'node:buffer';
import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import express, { type Request, type Response } from 'express';
import { ExcessiveJson, parseLargeJson, readLargeJson } from '../../../engines/json/large-json.js';
import { isDeeperThan } from '../../../engines/json/json-value.js';
import { notAnObject } from '../../../engines/json/python-type.js';
import { describeJsonError } from '../../../engines/json/python-json-error.js';
import { collectGarbage } from '../../../engines/memory/memory.js';
import { ApiError, Invalid, UnsupportedMediaType } from '../errors/errors.js';
import { readObject } from './field.js';

/**
 * The unvalidated body of a request. The contract checks permissions (403) before values (400), so a handler passes the
 * body on and the service validates it after its permission check.
 */
export class Unvalidated<T extends object> {
  constructor(
    /** The JSON object as sent. */
    readonly raw: Readonly<Record<string, unknown>>,
    private readonly type: Type<T>,
  ) {}

  /** Whether the body has this key. */
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

/** Far above what any body needs. Reading typed bodies uses call stack for each level. */
const MAX_DEPTH = 64;
/** Maximum number of elements in all lists of objects in a body together. */
const MAX_NESTED = 5_000;

/**
 * Reads a plain object as `type` and validates it.
 * @param maxNested maximum number of elements in its lists of objects together
 * @throws Invalid
 */
export function validated<T extends object>(
  type: Type<T>,
  raw: Readonly<Record<string, unknown>>,
  maxNested = MAX_NESTED,
): T {
  if (isDeeperThan(raw, MAX_DEPTH))
    throw new Invalid({ non_field_errors: [`Values are nested more than ${MAX_DEPTH} levels deep.`] });
  const reading = readObject(type, raw, { limit: maxNested, remaining: maxNested });
  if ('problem' in reading) throw new Invalid(reading.problem as Record<string, unknown>);
  return reading.value as T;
}

export interface BodyOptions {
  /** The configured size limit that applies. */
  readonly limit?: 'json' | 'annotations';
}

/** Size limits of bodies in bytes; set from the configuration when the application is created. */
export const bodyLimits = { json: 10 * 2 ** 20, annotations: 50 * 2 ** 20 };

/** Parameter decorator: the JSON object of the request as an `Unvalidated<Dto>`; an empty body counts as `{}`. */
export function JsonBody<T extends object>(type: Type<T>, options: BodyOptions = {}): ParameterDecorator {
  const parameter = createParamDecorator(async (_: unknown, context: ExecutionContext) => {
    return new Unvalidated(await parseObject(await readTextOf(context, options)), type);
  })();
  return (target, key, index) => {
    parameter(target, key, index);
    if (key === undefined) return;
    const descriptor = Object.getOwnPropertyDescriptor(target, key);
    if (descriptor !== undefined) ApiBody({ type })(target, key, descriptor as TypedPropertyDescriptor<object>);
  };
}

/**
 * Reads the JSON body of the request. `read` receives its value, unchecked, in which long lists of objects are
 * `LongList`s.
 * @throws ApiError 400, 413; UnsupportedMediaType; what `read` throws
 */
export type ReadJson = <T>(read: (json: unknown) => Promise<T>) => Promise<T>;

/**
 * Parameter decorator: a `ReadJson` for large bodies with their own parser. The handler checks the permission first, so
 * that a request without it costs almost nothing.
 */
export const LazyJsonBody = createParamDecorator(
  (options: BodyOptions | undefined, context: ExecutionContext): ReadJson =>
    async (read) => {
      const bytes = await readTextOf(context, options ?? {});
      return parsing(bytes, () => readLargeJson(bytes, read));
    },
);

/** Reads a JSON object; an empty body counts as `{}`. @throws ApiError 400, 413; UnsupportedMediaType */
export const readJsonObject = async (request: Request, response: Response): Promise<Record<string, unknown>> =>
  parseObject(await readJsonText(request, response, bodyLimits.json));

/** Whether the body is a form, which can contain files. */
export const isForm = (request: Request): boolean => mediaTypeOf(request) === 'multipart/form-data';

const mediaTypeOf = ({ headers }: Request): string | undefined =>
  headers['content-type']?.split(';')[0]?.trim().toLowerCase();

function readTextOf(context: ExecutionContext, options: BodyOptions): Promise<Buffer> {
  const http = context.switchToHttp();
  const limit = bodyLimits[options.limit ?? 'json'];
  return readJsonText(http.getRequest<Request>(), http.getResponse<Response>(), limit);
}

/** Reads the text of a JSON body; of an empty one `{}`. @throws ApiError 413, UnsupportedMediaType */
async function readJsonText(request: Request, response: Response, limit: number): Promise<Buffer> {
  const bytes = await readBytes(request, response, limit);
  if (bytes.length === 0) return Buffer.from('{}');
  if (mediaTypeOf(request) !== 'application/json')
    throw new UnsupportedMediaType(request.headers['content-type'] ?? '');
  return bytes;
}

/** Describes JSON errors as the contract does. @throws ApiError 400 with the position of the syntax error */
async function parsing<T>(bytes: Buffer, parse: () => Promise<T>): Promise<T> {
  if (!isUtf8(bytes)) throw new ApiError(400, { detail: 'JSON parse error - The body is not UTF-8.' });
  try {
    return await parse();
  } catch (error) {
    const isSyntax = error instanceof SyntaxError;
    if (!isSyntax && !(error instanceof ExcessiveJson)) throw error;
    const fault = isSyntax ? describeJsonError(bytes.toString('utf8')) : error.message;
    throw new ApiError(400, { detail: `JSON parse error - ${fault}` });
  }
}

/** Maximum number of elements per list in a body without annotations: eight megabytes when parsed. */
const MAX_ELEMENTS = 1_000_000;

/** Parses a JSON object. @throws ApiError 400 */
const parseObject = async (bytes: Buffer): Promise<Record<string, unknown>> =>
  requireObject(await parsing(bytes, () => parseLargeJson(bytes, { maxElements: MAX_ELEMENTS })));

function requireObject(json: unknown): Record<string, unknown> {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Record<string, unknown>;
  throw new Invalid({ non_field_errors: [notAnObject(json)] });
}

/**
 * Maximum ratio of decompressed to compressed size. Measured with gzip on 50,000 shapes: 10 to 17 for distinct points,
 * 62 for the same box on every frame.
 */
const MAX_RATIO = 100;
/** Bodies that leave behind so much garbage that it is collected at once. */
const LARGE_BYTES = 8 * 2 ** 20;
/** Bodies up to this size may have any ratio. */
const FREE_BYTES = 2 ** 20;

/**
 * The size limit for a request. It is lower for compressed bodies, so that a small body cannot decompress to a huge
 * one.
 */
function limitOf({ headers }: Request, limit: number): number {
  if ((headers['content-encoding'] ?? 'identity') === 'identity') return limit;
  const sent = headers['content-length'];
  const unpacked = sent === undefined ? bodyLimits.json : Math.max(FREE_BYTES, MAX_RATIO * Number(sent));
  return Math.min(limit, unpacked);
}

/**
 * Reads the whole body, decompressed.
 * @throws ApiError 413 above `limit` bytes or above the maximum compression ratio, 400 if the body breaks off
 */
export function readBytes(request: Request, response: Response, most: number): Promise<Buffer> {
  const limit = limitOf(request, most);
  return new Promise((resolve, reject) => {
    express.raw({ type: () => true, limit })(request, response, (error?: unknown) => {
      if (error === undefined) {
        const body: unknown = request.body;
        request.body = undefined; // so that the bytes can be freed while their values are processed
        if (Buffer.isBuffer(body)) {
          if (body.length >= LARGE_BYTES) response.once('close', () => void collectGarbage());
          resolve(body);
        }
        // If the client disconnected before its body was read, the parser reports that there is no body.
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
  return new ApiError(400, { detail: 'The body is incomplete.' });
}
