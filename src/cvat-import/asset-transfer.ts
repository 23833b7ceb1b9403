import { join } from 'node:path';
import type { ClientBase } from 'pg';
import type { DataFile } from './data-folder.js';
import { stageTable } from './stages.js';

/** Files of the staged assets. Here an asset's file has the same name in every folder, whatever the asset is called. */
export class AssetTransfer {
  private readonly found = new Set<string>();

  private constructor(private readonly names: ReadonlyMap<string, string>) {}

  /** @param client with the stages of the dump, complete */
  static async of(client: ClientBase): Promise<AssetTransfer> {
    const { rows } = await client.query<{ uuid: string; filename: string }>(
      `select uuid, filename from ${stageTable('asset')} order by uuid`,
    );
    return new AssetTransfer(new Map(rows.map((row) => [row.uuid, row.filename])));
  }

  get uuids(): readonly string[] {
    return [...this.names.keys()];
  }

  get foundCount(): number {
    return this.found.size;
  }

  /** As they are called in CVAT's data folder. */
  get missing(): string[] {
    return [...this.names].filter(([uuid]) => !this.found.has(uuid)).map(([uuid, name]) => `assets/${uuid}/${name}`);
  }

  /**
   * @param folder where folders of assets go; undefined: only looks
   * @returns false for a file that no asset needs
   */
  async take(file: DataFile, folder: string | undefined): Promise<boolean> {
    const { owner, path } = file;
    if (this.names.get(owner) !== path) return false;
    if (folder !== undefined) await file.save(join(folder, owner, 'file'));
    this.found.add(owner);
    return true;
  }
}
