import { createSecretKey, type KeyObject } from 'node:crypto';
import { access, mkdir } from 'node:fs/promises';
import { HttpService } from '@nestjs/axios';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { packageVersion } from '../../../config/version.js';
import { RemoteAgents } from '../../../core/remote/remote-agents.js';
import { ServerSecret } from '../../../core/secret.js';
import { mapBounded } from '../../../engines/concurrency/concurrency.js';
import { remoteName } from '../../../engines/media/file-name.js';
import { MediaError } from '../../../engines/media/media-error.js';
import { download, DownloadError, shownAddress } from '../../../engines/sender/download.js';
import { openSecret, sealSecret } from '../../../engines/signature/secret-box.js';
import type { SourceFile } from './source-files.js';
import { MediaFolders } from '../media-files.js';
import type { RequestContext } from '../../requests/index.js';

const FILES_AT_A_TIME = 4;

/**
 * Encrypts the URLs that a task is created from while they are stored in the database: they may contain passwords and
 * keys.
 */
@Injectable()
export class RemoteAddresses {
  private readonly sealingKey: KeyObject;

  constructor(secret: ServerSecret) {
    this.sealingKey = createSecretKey(secret.keyFor('addresses of remote files'));
  }

  /** @returns null for an empty list */
  seal(addresses: readonly string[]): string | null {
    return addresses.length === 0 ? null : sealSecret(JSON.stringify(addresses), this.sealingKey);
  }

  /** @throws SealedSecretError if the URLs were encrypted with another server secret */
  open(sealed: string | null | undefined): string[] {
    return sealed == null ? [] : (JSON.parse(openSecret(sealed, this.sealingKey)) as string[]);
  }
}

/** Downloads files from other servers by URL. */
@Injectable()
export class RemoteFiles {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly http: HttpService,
    private readonly agents: RemoteAgents,
    private readonly folders: MediaFolders,
    private readonly addresses: RemoteAddresses,
  ) {}

  /**
   * Downloads all files. Keeps those that an earlier attempt downloaded.
   * @param sealed the URLs as encrypted by `RemoteAddresses`
   * @throws MediaError that names the URL
   */
  async fetch(request: RequestContext, dataId: number, sealed: string | null | undefined): Promise<SourceFile[]> {
    const addresses = this.addresses.open(sealed);
    if (addresses.length === 0) return [];
    await mkdir(this.folders.incoming(dataId), { recursive: true });
    const parts = addresses.map(() => 0);
    return mapBounded(addresses, FILES_AT_A_TIME, async (address, at) => {
      const onProgress = (done: number): void => {
        parts[at] = done;
        request.setProgress((0.4 * parts.reduce((sum, part) => sum + part, 0)) / parts.length);
      };
      const file = await this.fetchOne(request, dataId, address, onProgress);
      onProgress(1);
      return file;
    });
  }

  private async fetchOne(
    request: RequestContext,
    dataId: number,
    address: string,
    onProgress: (done: number) => void,
  ): Promise<SourceFile> {
    const name = remoteName(address);
    if (name === null)
      throw new MediaError(`Cannot download ${shownAddress(address)}: it does not end with a file name`);
    const location = this.folders.incoming(dataId, name);
    if (!(await isThere(location)) && !(await isThere(this.folders.raw(dataId, name)))) {
      request.setMessage(`${name} is being downloaded..`);
      await this.download(address, location, request.signal, onProgress);
    }
    return { name, onDisk: () => Promise.resolve(location) };
  }

  private async download(
    address: string,
    location: string,
    signal: AbortSignal,
    onProgress: (done: number) => void,
  ): Promise<void> {
    const { remote, limits } = this.config;
    try {
      await download(address, location, {
        http: this.http.axiosRef,
        agents: this.agents,
        limits: { idleMs: remote.timeoutMs, totalMs: remote.fileMs, bytes: limits.uploadBytes },
        userAgent: `Cairn/${packageVersion()}`,
        signal,
        onProgress,
      });
    } catch (error) {
      if (error instanceof DownloadError) throw new MediaError(error.message, { cause: error });
      throw error;
    }
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
