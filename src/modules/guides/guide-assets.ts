import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { Invalid } from '../../core/http/errors/errors.js';
import type { Actor } from '../../shared/policy/actor.js';
import { guidePolicy } from '../../shared/policy/guide.policy.js';
import { AssetFiles } from './asset-files.js';
import { MAX_ASSETS } from './guide.dto.js';
import { AssetRepository, type FoundAsset, type NewAsset } from './asset.repository.js';

/** Keeps exactly the assets that a guide's text refers to. */
@Injectable()
export class GuideAssets {
  constructor(
    private readonly assets: AssetRepository,
    private readonly files: AssetFiles,
  ) {}

  /**
   * Copies assets of other guides that the text refers to and the actor may see, and removes the guide's own assets that
   * it no longer refers to. The caller has locked the guide.
   * @returns the text, referring to the copies
   * @throws Invalid if the guide would have too many assets
   */
  async settle(tx: Tx, actor: Actor, guideId: number, markdown: string): Promise<string> {
    const own = new Set(await this.assets.ofGuide(tx, guideId));
    const referenced = referencedAssets(markdown);
    if (own.size === 0 && referenced.length === 0) return markdown;
    const kept = referenced.filter((uuid) => own.has(uuid));
    const others = await this.assets.findAll(
      tx,
      referenced.filter((uuid) => !own.has(uuid)),
      actor.id,
    );
    const seen = others.filter(({ isPublic, facts }) => isPublic || guidePolicy.allow('view', actor, facts));
    if (kept.length + seen.length > MAX_ASSETS)
      throw new Invalid({ markdown: [`A guide can have at most ${MAX_ASSETS} assets.`] });
    const copies = await this.copy(tx, actor, guideId, seen);
    await this.remove(tx, [...own].filter((uuid) => !kept.includes(uuid))); // prettier-ignore
    return replaceAssets(markdown, copies);
  }

  /** Removes the files of a guide that is about to be deleted with the rows of its assets. */
  async forget(tx: Tx, guideId: number): Promise<void> {
    const uuids = await this.assets.ofGuide(tx, guideId);
    tx.afterCommit(() => this.files.removeLater(uuids));
  }

  /** @returns ids of the copies by id of the source */
  private async copy(
    tx: Tx,
    actor: Actor,
    guideId: number,
    sources: readonly FoundAsset[],
  ): Promise<ReadonlyMap<string, string>> {
    const copies = new Map<string, string>();
    const created: NewAsset[] = [];
    for (const { row } of sources) {
      const uuid = randomUUID();
      if (!(await this.files.copy(row.uuid, uuid))) continue;
      copies.set(row.uuid, uuid);
      created.push({ uuid, filename: row.filename, guideId, ownerId: actor.id });
    }
    if (created.length > 0) await this.assets.insert(tx, created, tx.now);
    return copies;
  }

  private async remove(tx: Tx, uuids: readonly string[]): Promise<void> {
    if (uuids.length === 0) return;
    await this.assets.delete(tx, uuids);
    tx.afterCommit(() => this.files.removeLater(uuids));
  }
}

const REFERENCE = /(?<=\/api\/assets\/)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f-])/gi;

/** Ids of the assets that a text shows or links to: distinct, in lower case. */
export function referencedAssets(markdown: string): string[] {
  return [...new Set(Array.from(markdown.matchAll(REFERENCE), ([uuid]) => uuid.toLowerCase()))];
}

/** @param replacements new ids by old id */
export function replaceAssets(markdown: string, replacements: ReadonlyMap<string, string>): string {
  return markdown.replaceAll(REFERENCE, (uuid) => replacements.get(uuid.toLowerCase()) ?? uuid);
}
