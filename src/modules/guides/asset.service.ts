import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Db, type Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Forbidden, Invalid, InvalidList, NotFound, Unauthenticated } from '../../core/http/errors/errors.js';
import { Urls } from '../../core/http/response/urls.js';
import { fileTypeOf, fitImage } from '../../engines/media/image-fit.js';
import { MediaError } from '../../engines/media/media-error.js';
import { AssetFiles } from './asset-files.js';
import type { AssetForm } from './asset-http.js';
import { type AssetDto, MAX_ASSET_SIDE, MAX_ASSETS } from './guide.dto.js';
import { AssetRepository, type AssetRow, type FoundAsset } from './asset.repository.js';
import { GuideTargets, targetOf } from './guide.service.js';
import { GuideRepository } from './guide.repository.js';
import { readBasicUser } from '../users/index.js';
import type { Actor } from '../../shared/policy/actor.js';
import { guidePolicy } from '../../shared/policy/guide.policy.js';

export interface AssetContent {
  readonly filename: string;
  /** Detected from the content, not from the name. */
  readonly type: string;
  readonly content: Buffer;
}

/** Reads and writes the images and documents that guides show. */
@Injectable()
export class AssetService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly assets: AssetRepository,
    private readonly files: AssetFiles,
    private readonly guides: GuideRepository,
    private readonly targets: GuideTargets,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @param actor null for an anonymous client, who can read the assets of public guides */
  async read(actor: Actor | null, uuid: string): Promise<AssetContent> {
    const [asset] = await this.assets.findAll(this.db, [uuid], actor?.id ?? 0);
    if (asset?.isPublic !== true) {
      if (actor === null) throw new Unauthenticated();
      if (asset === undefined) throw NotFound.of('Asset');
      if (!guidePolicy.allow('view', actor, asset.facts)) throw new Forbidden();
    }
    const content = await this.files.read(uuid);
    if (content === undefined) throw new NotFound('The file of this asset is missing.');
    return { filename: asset.row.filename, type: fileTypeOf(content) ?? 'application/octet-stream', content };
  }

  async create(actor: Actor, { guideId: sentId, file }: AssetForm): Promise<AssetDto> {
    const guideId = /^\d{1,10}$/.test(sentId) && Number(sentId) < 2 ** 31 ? Number(sentId) : 0;
    await this.requireGuide(this.db, actor, guideId);
    if (file === undefined) throw new Invalid({ file: ['No file was submitted.'] });
    const content = await this.prepare(file.name, file.content);
    return this.work.run(async (tx) => {
      if ((await this.guides.lock(tx, guideId)) === undefined) throw unknownGuide();
      await this.requireGuide(tx, actor, guideId);
      if ((await this.assets.ofGuide(tx, guideId)).length >= MAX_ASSETS)
        throw new Invalid({ file: [`A guide can have at most ${MAX_ASSETS} assets.`] });
      return this.store(tx, actor, { uuid: randomUUID(), filename: file.name, guideId, ownerId: actor.id }, content);
    });
  }

  async delete(actor: Actor, uuid: string): Promise<void> {
    await this.work.run(async (tx) => {
      const [asset] = await this.assets.findAll(tx, [uuid], actor.id);
      if (asset === undefined) throw NotFound.of('Asset');
      if (!guidePolicy.allow('delete', actor, asset.facts)) throw new Forbidden();
      await this.assets.delete(tx, [uuid]);
      tx.afterCommit(() => this.files.removeLater([uuid]));
    });
  }

  private async requireGuide(db: Queryable, actor: Actor, guideId: number): Promise<void> {
    const guide = await this.guides.find(db, guideId);
    if (guide === undefined) throw unknownGuide();
    await this.targets.require(db, actor, targetOf(guide), 'create');
  }

  /** @returns the content to store; @throws Invalid for a damaged file or an unsupported type */
  async prepare(name: string, content: Buffer): Promise<Buffer> {
    const type = fileTypeOf(content);
    if (type === undefined)
      throw new Invalid({
        file: ['This file type is not supported. Upload a JPEG, PNG, WebP or GIF image, or a PDF document.'],
      });
    if (type !== 'image/jpeg' && type !== 'image/png') return content;
    try {
      return await fitImage(content, name, MAX_ASSET_SIDE, { maxPixels: this.config.limits.imagePixels });
    } catch (error) {
      if (error instanceof MediaError) throw new Invalid({ file: ['The image is damaged or too large.'] });
      throw error;
    }
  }

  /** Writes the file before the row, so that each asset can be read. */
  private async store(
    tx: Tx,
    actor: Actor,
    asset: Parameters<AssetRepository['insert']>[1][number],
    content: Buffer,
  ): Promise<AssetDto> {
    await this.files.write(asset.uuid, content);
    await this.assets.insert(tx, [asset], tx.now);
    const [found]: FoundAsset[] = await this.assets.findAll(tx, [asset.uuid], actor.id);
    if (found === undefined) throw NotFound.of('Asset');
    return toAsset(found.row, new Urls(actor.baseUrl));
  }
}

const unknownGuide = (): InvalidList => new InvalidList('AnnotationGuide matching query does not exist.');

const toAsset = (row: AssetRow, urls: Urls): AssetDto => ({
  uuid: row.uuid,
  filename: row.filename,
  created_date: row.created_date,
  owner: readBasicUser(row, 'owner', urls),
  guide_id: row.guide_id,
});
