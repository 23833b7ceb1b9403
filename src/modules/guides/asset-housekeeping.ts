import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Db } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { BeforeDeleting, type Cascade } from '../../core/outbox/cascades.js';
import { Chore } from '../requests/index.js';
import { AssetFiles } from './asset-files.js';
import { AssetRepository } from './asset.repository.js';

const HOUR_MS = 3_600_000;

/** Removes the files of assets that went with their task or project, and what a crash left. */
@Injectable()
export class AssetHousekeeping {
  private searchedAt = 0;

  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(AssetRepository) private readonly assets: AssetRepository,
    @Inject(AssetFiles) private readonly files: AssetFiles,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @BeforeDeleting('task')
  async onDeletionOfTasks(tx: Tx, { ids }: Cascade): Promise<void> {
    this.removeAfter(tx, await this.assets.ofTasks(tx, ids));
  }

  @BeforeDeleting('project')
  async onDeletionOfProjects(tx: Tx, { ids }: Cascade): Promise<void> {
    this.removeAfter(tx, await this.assets.ofProjects(tx, ids));
  }

  /** Once an hour. Files come before their rows, so only old ones are looked at. */
  @Chore()
  async tidy(): Promise<void> {
    const now = this.clock.now();
    if (now.getTime() < this.searchedAt + HOUR_MS) return;
    this.searchedAt = now.getTime();
    const old = await this.files.madeBefore(new Date(now.getTime() - HOUR_MS));
    const known = await this.assets.known(this.db, old);
    await this.files.remove(old.filter((uuid) => !known.has(uuid)));
  }

  private removeAfter(tx: Tx, uuids: readonly string[]): void {
    tx.afterCommit(() => this.files.removeLater(uuids));
  }
}
