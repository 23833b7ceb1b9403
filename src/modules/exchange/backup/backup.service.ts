import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { InvalidList } from '../../../core/http/errors/errors.js';
import type { Query } from '../../../core/list/page-request.js';
import { type Actor, contextOrganization } from '../../../shared/policy/actor.js';
import { requestIdOf } from '../../requests/index.js';
import { readBackupQuery, readIncomingQuery } from '../exchange-query.js';
import { ExchangeClouds, fileTimestamp } from '../exchange-files.js';
import { ExchangeRequests, ExchangeAccess, type UploadLocation } from '../exchange-requests.js';
import { CloudFiles, ImportFiles } from '../import/import-files.js';
import { type BackupParameters, EXPORT_BACKUP } from './backup.handler.js';
import { BackupRepository } from './backup.repository.js';
import { IMPORT_BACKUP, requireRestore, type RestoreParameters } from './restore.handler.js';

/** What can be backed up and restored. */
export type BackupKind = 'project' | 'task';

/** Where uploaded backups are stored until they are read. */
export const restoreLocation = (kind: BackupKind): UploadLocation => ({
  folder: `${kind}-backup`,
  field: `${kind}_file`,
});

/** Limit for the name within the file name, which may have 255 bytes. */
const MAX_NAME = 100;

/** Starts backups and restores, which run in the background. */
@Injectable()
export class BackupService {
  constructor(
    private readonly access: ExchangeAccess,
    private readonly backups: BackupRepository,
    private readonly clouds: ExchangeClouds,
    private readonly files: ImportFiles,
    private readonly fetched: CloudFiles,
    private readonly requests: ExchangeRequests,
  ) {}

  /**
   * Queues a backup.
   * @returns the id of the background request
   * @throws NotFound, Forbidden, InvalidList, OperationInProgress
   */
  async start(actor: Actor, target: { readonly kind: BackupKind; readonly id: number }, query: Query): Promise<string> {
    await this.access.requireExport(actor, target);
    const { kind, id: targetId } = target;
    const destination = await this.clouds.destination(actor, target, readBackupQuery(query));
    const id = requestIdOf({ action: 'export', target: kind, targetId, userId: actor.id, subresource: 'backup' });
    await this.requests.enqueue(actor, target, async (updated, tx) => {
      const found = kind === 'task' ? await this.backups.task(tx, targetId) : await this.backups.project(tx, targetId);
      if (found === undefined) throw new InvalidList('Backup of a task without data is not allowed');
      const filename = destination.filename || usualName(kind, found.name, updated);
      const parameters: BackupParameters = { kind, id: targetId, ...destination, filename };
      return { id, type: EXPORT_BACKUP, subresource: 'backup', parameters };
    });
    return id;
  }

  /** @throws Forbidden */
  requireRestore(actor: Actor, kind: BackupKind): void {
    requireRestore(actor, kind, contextOrganization(actor));
  }

  /**
   * Queues the restore of a backup that is sent with the request, was uploaded before, or is in a cloud storage. The
   * caller has checked the permission to restore.
   * @returns the id of the background request
   * @throws ApiError 400, 403, 413
   */
  async restore(actor: Actor, kind: BackupKind, query: Query, request: Request): Promise<string> {
    const wanted = readIncomingQuery(query);
    const location = restoreLocation(kind);
    const cloudStorageId = await this.clouds.select(actor, wanted);
    const file =
      cloudStorageId === null
        ? await this.files.fileOf(actor, location, wanted.filename, request)
        : this.fetched.plan(actor, location, cloudStorageId, wanted.key);
    const id = requestIdOf({ action: 'import', target: kind, id: randomUUID(), subresource: 'backup' });
    const organizationId = contextOrganization(actor)?.id ?? null;
    const parameters: RestoreParameters = { kind, organizationId, ...file };
    await this.requests.enqueueNew(actor, {
      id,
      type: IMPORT_BACKUP,
      target: kind,
      organizationId,
      subresource: 'backup',
      parameters,
    });
    return id;
  }
}

/** Format: `task_street_backup_2026_11_21_08_33_38.zip`. */
function usualName(kind: BackupKind, name: string, updated: Date): string {
  const safe = [...name.replaceAll(/[/\\\p{Cc}]/gu, '_')].slice(0, MAX_NAME).join('');
  return `${kind}_${safe}_backup_${fileTimestamp(updated)}.zip`.toLowerCase();
}
