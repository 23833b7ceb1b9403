import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import type { Actor } from '../../shared/policy/actor.js';
import { AssetFiles } from './asset-files.js';
import { MAX_FILENAME } from './guide.dto.js';
import { AssetRepository, type NewAsset } from './asset.repository.js';
import { AssetService } from './asset.service.js';
import { replaceAssets } from './guide-assets.js';
import type { GuideTarget } from './guide.service.js';
import { GuideRepository } from './guide.repository.js';

/** A guide in a backup. */
export interface GuideContent {
  readonly markdown: string;
  readonly assets: readonly GuideAsset[];
}

export interface GuideAsset {
  /** The id that the text refers to. */
  readonly uuid: string;
  readonly filename: string;
  readonly content: Buffer;
}

/** Reads guides for backups, and restores them. */
@Injectable()
export class GuideBackup {
  constructor(
    private readonly guides: GuideRepository,
    private readonly assets: AssetRepository,
    private readonly service: AssetService,
    private readonly files: AssetFiles,
  ) {}

  /** The guide of a task or project; undefined if it has none. */
  async read(db: Queryable, target: GuideTarget): Promise<GuideContent | undefined> {
    const guide = await this.guides.ofTarget(db, target);
    if (guide === undefined) return undefined;
    const assets: GuideAsset[] = [];
    for (const { uuid, filename } of await this.assets.filesOfGuide(db, guide.id)) {
      const content = await this.files.read(uuid);
      if (content !== undefined) assets.push({ uuid, filename, content });
    }
    return { markdown: guide.markdown, assets };
  }

  /**
   * Inserts the guide of a new task or project. The caller records the event of the task or project.
   * @throws Invalid for a file that cannot be an asset
   */
  async restore(tx: Tx, actor: Actor, target: GuideTarget, { markdown, assets }: GuideContent): Promise<void> {
    const now = tx.now;
    const id = await this.guides.insert(tx, target, markdown, now);
    const copies = new Map<string, string>();
    const created: NewAsset[] = [];
    for (const { uuid, filename, content } of assets) {
      const copy = randomUUID();
      await this.files.write(copy, await this.service.prepare(filename, content));
      copies.set(uuid, copy);
      created.push({
        uuid: copy,
        filename: [...filename].slice(0, MAX_FILENAME).join(''),
        guideId: id,
        ownerId: actor.id,
      });
    }
    if (created.length === 0) return;
    await this.assets.insert(tx, created, now);
    await this.guides.set(tx, id, target, replaceAssets(markdown, copies), now);
  }
}
