import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiNoContentResponse, ApiOkResponse, ApiQuery, ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiErrors, ApiTextErrors } from '../../../core/http/api-errors.js';
import { PlainError } from '../../../core/http/errors.js';
import type { MediaAnswer } from './media-reader.js';

const BINARY = { schema: { type: 'string', format: 'binary' } } as const;

/** Documents a preview. */
export const ApiPreview = (description: string): MethodDecorator =>
  applyDecorators(
    ApiHeader({ name: 'Prefer', required: false, description: '`handling=empty`: 204 where there is no picture' }),
    ApiOkResponse({ description: `${description}, in 256×256 pixels at most`, content: { 'image/jpeg': BINARY } }),
    ApiNoContentResponse({ description: 'No picture, for those who prefer an empty answer' }),
    ApiTextErrors(404),
  );

/** Documents the queries for media. */
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
      description: 'Of a chunk, or of a frame in the task',
    }),
    ApiOkResponse({
      description: 'Chunks: an archive of images, with X-Checksum and X-Updated-Date; else an image',
      content: { 'application/zip': BINARY, 'image/*': BINARY },
    }),
    ApiResponse({ status: 429, description: 'Still being made: ask again after Retry-After seconds' }),
    ApiErrors(507),
  );

/** Writes the headers. @returns the body */
export function sendMedia(response: Response, { type, body, headers = {} }: MediaAnswer): Buffer {
  response.setHeader('Content-Type', type);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  return body;
}

/** A client may prefer an empty answer to a 404 where there is no picture: `Prefer: handling=empty`. */
export async function sendPreview(
  request: Request,
  response: Response,
  preview: Promise<MediaAnswer>,
): Promise<Buffer | undefined> {
  try {
    return sendMedia(response, await preview);
  } catch (error) {
    const prefersEmpty = (request.header('prefer') ?? '').replaceAll(' ', '').includes('handling=empty');
    if (!prefersEmpty || !(error instanceof PlainError) || error.status !== 404) throw error;
    response.status(204);
    return undefined;
  }
}
