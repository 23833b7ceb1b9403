import { open, readFile, stat } from 'node:fs/promises';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { UploadOptions } from './bucket.js';
import { ObjectStorageError } from './object-storage-error.js';

interface S3Object {
  readonly Bucket: string;
  readonly Key: string;
}

const PART_BYTES = 16 * 2 ** 20;
const MAX_PARTS = 10_000;

/**
 * Creates or replaces an object from a file, in one request or in parts. @throws errors of the client and of the disk
 */
export async function uploadFile(
  client: S3Client,
  object: S3Object,
  file: string,
  options: UploadOptions,
): Promise<void> {
  const { size } = await stat(file);
  const partBytes = Math.max(options.partBytes ?? PART_BYTES, Math.ceil(size / MAX_PARTS));
  if (size <= partBytes) await put(client, object, { file, size }, options);
  else await putParts(client, object, { file, size, partBytes }, options);
}

async function put(
  client: S3Client,
  object: S3Object,
  { file, size }: { readonly file: string; readonly size: number },
  { signal, onProgress }: UploadOptions,
): Promise<void> {
  const whole = { ...object, ContentLength: size, Body: await readFile(file) };
  await client.send(new PutObjectCommand(whole), sendingUntil(signal));
  onProgress?.(1);
}

async function putParts(
  client: S3Client,
  object: S3Object,
  { file, size, partBytes }: { readonly file: string; readonly size: number; readonly partBytes: number },
  { signal, onProgress }: UploadOptions,
): Promise<void> {
  const sending = sendingUntil(signal);
  const { UploadId: id } = await client.send(new CreateMultipartUploadCommand(object), sending);
  const upload = { ...object, UploadId: id };
  try {
    const parts: CompletedPart[] = [];
    for (let start = 0; start < size; start += partBytes) {
      const body = await readPart(file, start, Math.min(partBytes, size - start));
      const number = parts.length + 1;
      const part = { ...upload, PartNumber: number, Body: body, ContentLength: body.length };
      const { ETag: tag } = await client.send(new UploadPartCommand(part), sending);
      parts.push({ PartNumber: number, ...(tag === undefined ? {} : { ETag: tag }) });
      onProgress?.((start + body.length) / size);
    }
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } }), sending);
  } catch (error) {
    // Uploaded parts cost money until they are removed. An error here is ignored in favour of the original one.
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
    throw error;
  }
}

const sendingUntil = (signal: AbortSignal | undefined): { abortSignal?: AbortSignal } =>
  signal === undefined ? {} : { abortSignal: signal };

async function readPart(path: string, start: number, length: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, start);
    if (bytesRead !== length) throw new ObjectStorageError('failed', 'The file became shorter while it was sent');
    return buffer;
  } finally {
    await file.close();
  }
}
