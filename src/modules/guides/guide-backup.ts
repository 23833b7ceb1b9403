import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import type { Actor } from '../../shared/policy/actor.js';
import { AssetFiles } from './asset-files.js';
import { replaceAssets } from './asset-references.js';
import { MAX_FILENAME } from './asset.dto.js';
import { AssetRepository, type NewAsset } from './asset.repository.js';
import { AssetService } from './asset.service.js';
import type { GuideTarget } from './guide-target.js';
import { GuideRepository } from './guide.repository.js';

/** A guide outside of the server. */
export interface GuideContent {
  readonly markdown: string;
  readonly assets: readonly GuideAsset[];
}

export interface GuideAsset {
  /** As the text refers to it. */
  readonly uuid: string;
  readonly filename: string;
  readonly content: Buffer;
}

/** Guides on their way into backups and out of them. */
@Injectable()
export class GuideBackup {
  constructor(
    @Inject(GuideRepository) private readonly guides: GuideRepository,
    @Inject(AssetRepository) private readonly assets: AssetRepository,
    @Inject(AssetService) private readonly service: AssetService,
    @Inject(AssetFiles) private readonly files: AssetFiles,
  ) {}

  /** The guide of a task or project; undefined where there is none. */
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
   * Gives a new task or project its guide. The caller tells of the task or project.
   * @throws Invalid for an asset that is none
   */
  async restore(tx: Tx, actor: Actor, target: GuideTarget, { markdown, assets }: GuideContent): Promise<void> {
    const now = tx.now;
    const id = await this.guides.insert(tx, target, markdown, now);
    const copies = new Map<string, string>();
    const made: NewAsset[] = [];
    for (const { uuid, filename, content } of assets) {
      const copy = randomUUID();
      await this.files.write(copy, await this.service.prepare(filename, content));
      copies.set(uuid, copy);
      made.push({
        uuid: copy,
        filename: [...filename].slice(0, MAX_FILENAME).join(''),
        guideId: id,
        ownerId: actor.id,
      });
    }
    if (made.length === 0) return;
    await this.assets.insert(tx, made, now);
    await this.guides.set(tx, id, target, replaceAssets(markdown, copies), now);
  }
}
