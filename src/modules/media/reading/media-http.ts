import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiNoContentResponse, ApiOkResponse, ApiQuery, ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { namesEtag } from '../../../core/http/conditional/preconditions.js';
import { ApiErrors, ApiMissing, ApiTextErrors } from '../../../core/http/errors/api-errors.js';
import { ApiError, InvalidList, InvalidString, PlainError, StorageFull } from '../../../core/http/errors/errors.js';
import { prefersEmpty } from '../../../core/http/request/prefer.js';
import { parameter, type Query } from '../../../core/list/page-request.js';
import { MediaError, MediaStorageFull } from '../../../engines/media/media-error.js';
import { ObjectStorageError } from '../../../engines/object-storage/object-storage-error.js';
import type { Quality } from './chunk-keys.js';

const TYPES = ['chunk', 'frame', 'context_image', 'preview'] as const;

/** The parameters of a media request. */
export interface MediaQuery {
  readonly type: (typeof TYPES)[number];
  readonly quality: Quality;
  readonly number: number | null;
  /** Only for chunks of jobs. */
  readonly index: number | null;
}

/**
 * Reads `type`, `quality`, `number` and `index`.
 * @param of only jobs have `index`
 * @throws InvalidList, InvalidString with the contract's texts
 */
export function readMediaQuery(query: Query, of: 'task' | 'job'): MediaQuery {
  const type = TYPES.find((known) => known === parameter(query, 'type'));
  if (type === undefined) throw new InvalidList('Data type not specified or has wrong value');
  const quality = parameter(query, 'quality') || 'compressed';
  if (quality !== 'compressed' && quality !== 'original') throw new InvalidList('Wrong quality value');
  const number = readNumber(query, 'number');
  const index = of === 'job' && type === 'chunk' ? readNumber(query, 'index') : null;
  if (number !== null && index !== null) throw new InvalidList('Number and Index cannot be used together');
  if (number === null && index === null && type !== 'preview') throw missing(type, of);
  return { type, quality, number, index };
}

function missing(type: MediaQuery['type'], of: 'task' | 'job'): InvalidList | InvalidString {
  if (type === 'context_image' && of === 'task')
    return new InvalidString("Invalid frame 'None'. A frame number is needed");
  return new InvalidList(
    of === 'job' && type === 'chunk' ? 'Number or Index is not specified' : 'Number is not specified',
  );
}

function readNumber(query: Query, name: string): number | null {
  const text = parameter(query, name);
  if (text === '') return null;
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidList(`"${name}" must be a whole number`);
  return Number(text);
}

/** A media response to be sent. */
export interface MediaResponse {
  readonly type: string;
  readonly body: Buffer;
  /** The entity tag. */
  readonly tag: string;
  /** Clients may request ranges of originals. */
  readonly isOriginal: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called after the body is sent, when its memory can be reused. */
  readonly onSent?: () => void;
}

/** Sends the client to the bucket. The URL is valid for some minutes and needs no credentials. */
export interface MediaRedirect {
  readonly location: string;
  readonly headers: Readonly<Record<string, string>>;
}

const BINARY = { schema: { type: 'string', format: 'binary' } } as const;

/** Documents a preview. */
export const ApiPreview = (description: string): MethodDecorator =>
  applyDecorators(
    ApiHeader({
      name: 'Prefer',
      required: false,
      description: '`handling=empty`: 204 instead of 404 if there is no image',
    }),
    ApiOkResponse({ description: `${description}, at most 256×256 pixels`, content: { 'image/jpeg': BINARY } }),
    ApiNoContentResponse({ description: 'There is no image, and the client prefers an empty response' }),
    ApiTextErrors(404),
  );

/** Documents the query parameters for media. */
export const ApiMediaQuery = (): MethodDecorator =>
  applyDecorators(
    ApiQuery({ name: 'type', enum: ['chunk', 'frame', 'context_image', 'preview'] }),
    ApiQuery({
      name: 'quality',
      required: false,
      enum: ['compressed', 'original'],
      description: 'Default: compressed',
    }),
    ApiQuery({
      name: 'number',
      required: false,
      type: 'integer',
      description: 'Number of the chunk, or of the frame in the task',
    }),
    ApiOkResponse({
      description: 'A chunk is an archive of images, with X-Checksum and X-Updated-Date. Anything else is an image.',
      content: { 'application/zip': BINARY, 'image/*': BINARY },
    }),
    ApiHeader({ name: 'Range', required: false, description: 'Part of an original file: `bytes=0-999`' }),
    ApiHeader({ name: 'If-None-Match', required: false, description: 'ETag of an earlier response' }),
    ApiResponse({
      status: 206,
      description: 'The requested part of an original file',
      content: { 'application/zip': BINARY, 'image/*': BINARY },
    }),
    ApiResponse({
      status: 302,
      description:
        'If the server is configured with MEDIA_REDIRECT: Location is a temporary URL of the chunk in a bucket',
    }),
    ApiResponse({ status: 304, description: 'Not changed since the response with that ETag' }),
    ApiResponse({ status: 429, description: 'Still being created. Try again after Retry-After seconds.' }),
    ApiMissing('The object does not exist, or its file is missing in the bucket'),
    ApiErrors(416, 507),
  );

/** 416: the requested range contains no bytes. */
class RangeNotSatisfiable extends ApiError {
  override readonly headers: Readonly<Record<string, string>>;

  constructor(length: number) {
    super(416, { detail: `The response has ${length} bytes.` });
    this.headers = { 'Content-Range': `bytes */${length}`, 'Accept-Ranges': 'bytes' };
  }
}

/**
 * Writes the headers.
 * @returns the body, or the range of an original that `Range` requests; undefined if the client already has it
 * @throws ApiError 416
 */
export function sendMedia(
  request: Request,
  response: Response,
  answer: MediaResponse | MediaRedirect,
): Buffer | undefined {
  if ('location' in answer) {
    response.status(302).set({ ...answer.headers, Location: answer.location, 'Cache-Control': 'no-store' });
    return undefined;
  }
  const { type, body, tag, isOriginal, headers = {}, onSent } = answer;
  if (onSent !== undefined) response.once('finish', onSent);
  for (const [name, value] of Object.entries({ ETag: tag, ...headers })) response.setHeader(name, value);
  const known = request.headers['if-none-match'];
  if (known !== undefined && namesEtag(known, tag)) {
    response.status(304);
    return undefined;
  }
  const range = isOriginal ? rangeOf(request, body.length, tag) : undefined;
  if (isOriginal) response.setHeader('Accept-Ranges', 'bytes');
  response.setHeader('Content-Type', type);
  if (range === undefined) return body;
  response.status(206);
  response.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${body.length}`);
  return body.subarray(range.start, range.end + 1);
}

/**
 * Parses `Range` according to RFC 9110: one byte range, if the content has not changed since the client received the
 * other part. Multiple ranges, other units and invalid ranges return the whole body.
 */
function rangeOf(request: Request, length: number, tag: string): { start: number; end: number } | undefined {
  const condition = request.headers['if-range'];
  if (request.method !== 'GET' || (condition !== undefined && condition !== tag)) return undefined;
  const ranges = request.range(length);
  if (ranges === undefined || ranges === -2) return undefined;
  if (ranges === -1) {
    if (/^bytes=/i.test(request.headers.range ?? '')) throw new RangeNotSatisfiable(length);
    return undefined;
  }
  return ranges.type === 'bytes' && ranges.length === 1 ? ranges[0] : undefined;
}

/** With `Prefer: handling=empty`, a missing preview is an empty response instead of a 404. */
export async function sendPreview(
  request: Request,
  response: Response,
  preview: Promise<MediaResponse>,
): Promise<Buffer | undefined> {
  try {
    return sendMedia(request, response, await preview);
  } catch (error) {
    if (!prefersEmpty(request) || !(error instanceof PlainError) || error.status !== 404) throw error;
    response.status(204);
    return undefined;
  }
}

/** Maximum time a client waits for media that are being created. */
const MAX_WAIT_MS = 50_000;

/** 429 without a body: the requested media are still being created. */
class NotReady extends ApiError {
  override readonly headers = { 'Retry-After': '10' };

  constructor() {
    super(429, undefined);
  }
}

/**
 * Waits for media that are being created, and converts errors to responses. After a timeout, creation continues.
 * @throws ApiError 400 for media that cannot be decoded, 404 for a file missing from its bucket, 429 after a timeout,
 * 507 for a full disk
 */
export async function awaitMedia<T>(making: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NotReady()), MAX_WAIT_MS);
  });
  try {
    return await Promise.race([making, patience]);
  } catch (error) {
    if (error instanceof MediaError && isMissing(error.cause)) throw new ApiError(404, error.message);
    if (error instanceof MediaError) throw new InvalidString(error.message);
    if (error instanceof MediaStorageFull) throw new StorageFull(error.message);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

const isMissing = (cause: unknown): boolean => cause instanceof ObjectStorageError && cause.problem === 'not-found';
