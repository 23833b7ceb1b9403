import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../../config/config.js';
import { Forbidden, Invalid, InvalidList, NotFound } from '../../../core/http/errors/errors.js';
import { discardFiles, readMultipart } from '../../../core/http/body/multipart.js';
import { ensureFolder } from '../../../core/ensure-folder.js';
import { MediaStorage } from '../../../core/media-storage/media-storage.js';
import type { Actor } from '../../../shared/policy/actor.js';
import {
  announcedName,
  PieceWriter,
  readUploadKey,
  type RequestIdDto,
  TusEndpoint,
  uploadKey,
} from '../../media/index.js';
import { type RequestContext, ResultFiles } from '../../requests/index.js';
import { ExchangeClouds, requireKey, ExchangeFolders } from '../exchange-files.js';
import { unnamedFile } from '../exchange-query.js';
import type { UploadLocation } from '../exchange-requests.js';

/** A file uploaded for an import. */
export interface ImportFile {
  /** Identifies it in the storage: its last two parts are those of the key. Older servers read it as a path. */
  readonly path: string;
  /** The client's name for it. */
  readonly name: string;
}

/** What is stored next to the file of a resumable upload. */
interface Description {
  readonly name: string;
  readonly length: number;
}

interface CompleteFile extends ImportFile {
  readonly modified: Date;
}

const DESCRIPTION = '.json';
/** Suffix of the file with the ids of data created from an upload. */
const DATA = '.data';
/** For the form fields other than the file. */
const MAX_FIELD_BYTES = 2 ** 20;

/**
 * Stores files for imports, in one folder per object and user, so that users cannot reach each other's files. A second
 * file stores the name and length of a resumable upload.
 */
@Injectable()
export class ImportFiles {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly storage: MediaStorage,
    private readonly folders: ExchangeFolders,
    private readonly pieces: PieceWriter,
    private readonly results: ResultFiles,
  ) {}

  /**
   * Finds the file of a request.
   * @param name the id of a file that was uploaded before, or the client's name for it; empty if the request contains the
   *   file
   * @throws ApiError 400, 413
   */
  async fileOf(actor: Actor, location: UploadLocation, name: string, request: Request): Promise<ImportFile> {
    if (name !== '') return this.requireSent(actor, location, name);
    const file = await this.receive(actor, location, request);
    if (file === undefined) throw new Invalid({ [location.field]: ['No file was submitted.'] });
    return file;
  }

  /** @param name the id of a file that was uploaded before, or the client's name for it. @throws InvalidList */
  async requireSent(actor: Actor, location: UploadLocation, name: string): Promise<ImportFile> {
    const sent = await this.complete(actor, location, name);
    if (sent === undefined) throw new InvalidList('No such file were uploaded');
    return sent;
  }

  /**
   * Reads the file from a form.
   * @returns undefined if there is none
   * @throws ApiError 400, 413
   */
  private async receive(actor: Actor, location: UploadLocation, request: Request): Promise<ImportFile | undefined> {
    if (!/^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')) return undefined;
    const key = this.folders.uploads(location, actor.id);
    const folder = await ensureFolder(await this.storage.workPath(key));
    const { files } = await readMultipart(request, {
      folder,
      newId: randomUUID,
      isFile: (field) => field === location.field,
      maxFileBytes: this.config.limits.uploadBytes,
      maxFieldBytes: MAX_FIELD_BYTES,
    });
    const [file, ...others] = files;
    await discardFiles(folder, others);
    if (file === undefined) return undefined;
    try {
      await this.storage.keep(key + file.fileId, join(folder, file.fileId));
    } catch (error) {
      await discardFiles(folder, [file]);
      throw error;
    }
    return this.named(key + file.fileId, file.name);
  }

  /** A file that is downloaded when it is read. */
  newFile(actor: Actor, location: UploadLocation, name: string): ImportFile {
    return this.named(this.folders.uploads(location, actor.id) + randomUUID(), name);
  }

  /** Creates a resumable upload. @returns its id, and what the client names it by in later requests: the id as well */
  async announce(
    actor: Actor,
    location: UploadLocation,
    length: number,
    metadata: string,
  ): Promise<{ fileId: string; name: string }> {
    const name = announcedName(metadata, length, this.config.limits.uploadBytes);
    const fileId = randomUUID();
    const key = this.folders.uploads(location, actor.id) + fileId;
    await this.pieces.create(key);
    const description: Description = { name, length };
    await this.storage.put(`${key}${DESCRIPTION}`, Buffer.from(JSON.stringify(description)));
    return { fileId, name: uploadKey(actor.id, fileId) };
  }

  /** How much of a file has arrived. @throws NotFound, Forbidden */
  async state(actor: Actor, location: UploadLocation, key: string): Promise<{ offset: number; length: number }> {
    const file = await this.find(actor, location, key);
    return { offset: await this.pieces.received(file), length: file.length };
  }

  /** Appends a chunk. @returns the new offset; @throws NotFound, Forbidden, ApiError 409, PlainError 413 */
  async append(
    actor: Actor,
    location: UploadLocation,
    key: string,
    piece: { readonly offset: number; readonly body: Request },
  ): Promise<number> {
    return this.pieces.append(await this.find(actor, location, key), piece.offset, piece.body);
  }

  private async complete(actor: Actor, location: UploadLocation, name: string): Promise<ImportFile | undefined> {
    const folder = this.folders.uploads(location, actor.id);
    const sent = readUploadKey(name);
    const identified = sent?.userId === actor.id ? await this.completeAt(folder + sent.fileId) : undefined;
    const found = identified ?? (await this.newestNamed(folder, name));
    return found && { path: found.path, name: found.name };
  }

  /** The newest complete upload with this name. */
  private async newestNamed(folder: string, name: string): Promise<CompleteFile | undefined> {
    const found: CompleteFile[] = [];
    for (const entry of await this.storage.names(folder)) {
      if (!entry.endsWith(DESCRIPTION)) continue;
      const file = await this.completeAt(folder + entry.slice(0, -DESCRIPTION.length), name);
      if (file !== undefined) found.push(file);
    }
    const [newest] = found.toSorted((a, b) => b.modified.getTime() - a.modified.getTime());
    return newest;
  }

  /** @param name if only a file with this name is wanted */
  private async completeAt(key: string, name?: string): Promise<CompleteFile | undefined> {
    const described = await this.described(key);
    if (described === undefined || (name !== undefined && described.name !== name)) return undefined;
    const info = await this.storage.info(key);
    if (info?.bytes !== described.length) return undefined;
    return { ...this.named(key, described.name), modified: info.modified };
  }

  async remove(path: string): Promise<void> {
    const key = keyOf(path);
    await this.storage.remove(key, `${key}${DESCRIPTION}`, `${key}${DATA}`);
  }

  /** Removes a file that was sent in one request. Resumable uploads stay until they are imported or expire. */
  async removeUnlessResumable(path: string): Promise<void> {
    const key = keyOf(path);
    if ((await this.described(key)) === undefined) await this.remove(path);
    else await this.storage.remove(`${key}${DATA}`);
  }

  /** Runs `use` with the file on this machine. @param fetch writes the file to a path if it is not in the storage */
  async read<T>(
    request: RequestContext,
    path: string,
    fetch: (path: string) => Promise<boolean>,
    use: (path: string) => Promise<T>,
  ): Promise<T> {
    const key = keyOf(path);
    const scratch = await this.results.newPath(request, '.part');
    try {
      if (await fetch(scratch)) return await use(scratch);
    } finally {
      await rm(scratch, { force: true });
    }
    return this.storage.withLocal(async (files) => use((await files.path(key)) ?? this.storage.nameOf(key)));
  }

  /** Records which data are created from a file, before any of their media exist. */
  async noteData(path: string, dataIds: readonly number[]): Promise<void> {
    await this.storage.put(`${keyOf(path)}${DATA}`, Buffer.from(dataIds.join(' ')));
  }

  async notedData(path: string): Promise<number[]> {
    const text = (await this.storage.read(`${keyOf(path)}${DATA}`))?.toString() ?? '';
    return text.split(' ').filter(Boolean).map(Number);
  }

  private named(key: string, name: string): ImportFile {
    return { path: this.storage.nameOf(key), name };
  }

  private async find(actor: Actor, location: UploadLocation, key: string): Promise<{ key: string; length: number }> {
    const known = readUploadKey(key);
    if (known === null) throw new NotFound();
    if (known.userId !== actor.id) throw new Forbidden();
    const file = this.folders.uploads(location, actor.id) + known.fileId;
    const described = await this.described(file);
    if (described === undefined) throw new NotFound();
    return { key: file, length: described.length };
  }

  /** @returns undefined if the file does not exist, or is being removed */
  private async described(key: string): Promise<Description | undefined> {
    const text = (await this.storage.read(`${key}${DESCRIPTION}`))?.toString() ?? '';
    return text === '' ? undefined : (JSON.parse(text) as Description);
  }
}

const keyOf = (path: string): string => `imports/${path.split(/[/\\]/).slice(-2).join('/')}`;

/** The file that a background request imports. */
export interface IncomingFile extends ImportFile {
  /** The file is in a cloud storage, and is downloaded to its path first. */
  readonly cloud_storage_id?: number;
  readonly key?: string;
}

/** Files for imports in cloud storages. */
@Injectable()
export class CloudFiles {
  constructor(
    private readonly clouds: ExchangeClouds,
    private readonly files: ImportFiles,
  ) {}

  /** @param key with folders @returns the parameters of the request that downloads the file @throws InvalidList */
  plan(actor: Actor, location: UploadLocation, cloudStorageId: number, key: string): IncomingFile {
    if (key === '') throw unnamedFile();
    requireKey(key);
    const file = this.files.newFile(actor, location, key.split('/').at(-1) ?? key);
    return { ...file, cloud_storage_id: cloudStorageId, key };
  }

  /** Downloads the file of an import to a path. @returns false if it is not in a cloud storage @throws ObjectStorageError */
  async fetch(request: RequestContext, path: string): Promise<boolean> {
    const { cloud_storage_id: cloudStorageId, key } = request.parameters as IncomingFile;
    if (cloudStorageId === undefined || key === undefined) return false;
    await this.clouds.download(request, { cloudStorageId, name: key }, path);
    return true;
  }
}

/** A request that sends a file, or starts to. */
interface UploadStep {
  readonly actor: Actor;
  readonly location: UploadLocation;
  /** Absolute URL below which the chunks are sent. */
  readonly collection: string;
  readonly request: Request;
  readonly response: Response;
}

/** Uploads of files to import, in one request or several (TUS). The caller has checked the permission. */
@Injectable()
export class FileUploads {
  constructor(
    private readonly files: ImportFiles,
    private readonly tus: TusEndpoint,
  ) {}

  /**
   * Handles one step of an upload; the headers tell which one.
   * @param begin queues the import when the file is complete or part of this request; returns the id of the request
   */
  async send(
    { actor, location, collection, request, response }: UploadStep,
    begin: () => Promise<string>,
  ): Promise<RequestIdDto | undefined> {
    const has = (header: string): boolean => request.headers[header] !== undefined;
    if (!has('upload-finish') && has('upload-start')) {
      response.status(202);
      return undefined;
    }
    if (!has('upload-finish') && has('upload-length')) {
      return this.tus.announce({ actor, request, response, collection }, (length, metadata) =>
        this.files.announce(actor, location, length, metadata),
      );
    }
    const requestId = await begin();
    response.status(202);
    return { rq_id: requestId };
  }

  discover(response: Response): void {
    this.tus.discover(response);
  }

  async state(actor: Actor, location: UploadLocation, key: string, response: Response): Promise<void> {
    await this.tus.state(response, () => this.files.state(actor, location, key));
  }

  async append(
    actor: Actor,
    location: UploadLocation,
    key: string,
    request: Request,
    response: Response,
  ): Promise<void> {
    await this.tus.append(request, response, (offset) =>
      this.files.append(actor, location, key, { offset, body: request }),
    );
  }
}
