import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { CvatImportError } from './cvat-import-error.js';
import { type DataFile, readDataFiles } from './data-folder.js';
import type { OnProgress } from './progress.js';
import { stageTable } from './stage.js';

/** Missing files that are listed by name; others are only counted. */
const NAMED = 20;
const BATCH = 1000;
const LEFTOVER = '.cvat-import-';
/** CVAT keeps both files next to the media. Cairn stores the manifest one folder higher and does not use the index. */
const MANIFEST = 'manifest.jsonl';
const INDEX = 'index.json';

export interface FileCounts {
  /** Files that frames need (images, videos, context images), and assets. */
  readonly found: number;
  readonly missing: number;
  readonly namesOfMissing: readonly string[];
  /** Files that frames need and that CVAT read from its share or a cloud storage. */
  readonly elsewhere: number;
  /** Files of data and assets that are not in the dump, and files that no frame needs. */
  readonly unused: number;
}

/**
 * Copies the files of the staged media and assets into a folder next to the final one, then renames them into place.
 */
export class MediaTransfer {
  private folder: string | undefined;

  /** @param client holds the complete stages of the dump */
  constructor(
    private readonly client: ClientBase,
    private readonly dataDir: string,
  ) {}

  /**
   * Reads all files.
   * @param copying false: only check which files exist
   */
  async receive(source: string, copying: boolean, onProgress: OnProgress): Promise<FileCounts> {
    await this.client.query(
      'create temporary table cvat_file (data_id integer, path text, primary key (data_id, path))',
    );
    const known = await this.dataIds();
    const assets = await AssetTransfer.of(this.client);
    if (copying)
      await this.makeFolder([
        ...[...known].map((id) => join('media', id)),
        ...assets.uuids.map((id) => join('assets', id)),
      ]);
    const batch: { data_id: number; path: string }[] = [];
    let unknown = 0;
    let done = 0;
    let read = {};
    const onBytes = (bytes: number, totalBytes: number): void => {
      read = { bytes, totalBytes };
    };
    for await (const file of readDataFiles(source, onBytes)) {
      done += 1;
      onProgress({ step: 'files', done, ...read });
      const { kind, owner, path } = file;
      if (kind === 'asset') {
        if (!(await assets.take(file, this.folder && join(this.folder, 'assets')))) unknown += 1;
        continue;
      }
      if (!known.has(owner)) {
        unknown += 1;
        continue;
      }
      if (path === INDEX) continue;
      if (this.folder !== undefined)
        await file.save(join(this.folder, 'media', owner, path === MANIFEST ? MANIFEST : join('raw', path)));
      if (path === MANIFEST) continue;
      batch.push({ data_id: Number(owner), path });
      if (batch.length >= BATCH) await this.note(batch.splice(0));
    }
    await this.note(batch);
    return this.counts(unknown, assets);
  }

  /** Moves all files to where the server reads them. Call it after the commit: a folder without a row is garbage. */
  async place(): Promise<void> {
    if (this.folder === undefined) return;
    const from = this.folder;
    this.folder = undefined; // it now holds the only copy of files that the database refers to
    try {
      for (const kind of await readdir(from)) {
        const to = join(this.dataDir, kind);
        await mkdir(to, { recursive: true });
        for (const id of await readdir(join(from, kind))) await rename(join(from, kind, id), join(to, id));
      }
      await rm(from, { recursive: true });
    } catch (error) {
      throw new CvatImportError(
        `The data was imported, but its files could not be moved (${(error as Error).message}): move the contents of the folders in ${from} to the folders with the same names in ${this.dataDir}.`,
        { cause: error },
      );
    }
  }

  /** Removes files that have not been moved into place. */
  async discard(): Promise<void> {
    if (this.folder !== undefined) await rm(this.folder, { recursive: true, force: true });
  }

  private async dataIds(): Promise<Set<string>> {
    const { rows } = await this.client.query<{ id: number }>(`select id from ${stageTable('media_data')}`);
    return new Set(rows.map((row) => String(row.id)));
  }

  /** @param places paths below the data folder that must not exist yet */
  private async makeFolder(places: readonly string[]): Promise<void> {
    for (const path of places) {
      const place = join(this.dataDir, path);
      if (
        await stat(place).then(
          () => true,
          () => false,
        )
      ) {
        throw new CvatImportError(
          `The folder ${place} already exists, although the database is empty. Check DATA_DIR.`,
        );
      }
    }
    for (const name of await readdir(this.dataDir)) {
      // Left by an import that was killed: the lock excludes another running import.
      if (name.startsWith(LEFTOVER)) await rm(join(this.dataDir, name), { recursive: true, force: true });
    }
    this.folder = await mkdtemp(join(this.dataDir, LEFTOVER));
  }

  private async note(files: readonly { data_id: number; path: string }[]): Promise<void> {
    await this.client.query(
      `insert into cvat_file select * from json_populate_recordset(null::cvat_file, $1::json) on conflict do nothing`,
      [JSON.stringify(files)],
    );
  }

  private async counts(unknown: number, assets: AssetTransfer): Promise<FileCounts> {
    await this.client.query(`create temporary table cvat_needed_file as
      select distinct data_id, path from (
        select data_id, path from ${stageTable('image')}
        union all select data_id, path from ${stageTable('video')}
        union all select data_id, path from ${stageTable('audio')}
        union all select image.data_id, related.path from ${stageTable('related_file')} as related
          join ${stageTable('image')} as image on image.id = related.image_id) as needed`);
    const { rows } = await this.client.query<Record<'found' | 'missing' | 'elsewhere' | 'unused', number>>(`
      select count(*) filter (where needed.path is not null and file.path is not null)::int as found,
        count(*) filter (where file.path is null and data.storage = 'local')::int as missing,
        count(*) filter (where file.path is null and data.storage <> 'local')::int as elsewhere,
        count(*) filter (where needed.path is null)::int as unused
      from cvat_needed_file as needed
      full join cvat_file as file on file.data_id = needed.data_id and file.path = needed.path
      left join ${stageTable('media_data')} as data on data.id = needed.data_id`);
    const [counts] = rows;
    if (counts === undefined) throw new Error('There are no counts');
    return {
      found: counts.found + assets.foundCount,
      missing: counts.missing + assets.missing.length,
      namesOfMissing: [...(await this.missing()), ...assets.missing].slice(0, NAMED),
      elsewhere: counts.elsewhere,
      unused: counts.unused + unknown,
    };
  }

  private async missing(): Promise<string[]> {
    const { rows } = await this.client.query<{ name: string }>(`
      select needed.data_id || '/raw/' || needed.path as name
      from cvat_needed_file as needed join ${stageTable('media_data')} as data on data.id = needed.data_id
      where data.storage = 'local'
        and not exists (select from cvat_file as file where file.data_id = needed.data_id and file.path = needed.path)
      order by needed.data_id, needed.path limit ${NAMED}`);
    return rows.map((row) => row.name);
  }
}

/** Copies files of the staged assets. Cairn gives every asset's file the same name in its own folder. */
class AssetTransfer {
  private readonly found = new Set<string>();

  private constructor(private readonly names: ReadonlyMap<string, string>) {}

  /** @param client holds the complete stages of the dump */
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

  /** Their names in CVAT's data folder. */
  get missing(): string[] {
    return [...this.names].filter(([uuid]) => !this.found.has(uuid)).map(([uuid, name]) => `assets/${uuid}/${name}`);
  }

  /**
   * @param folder destination for folders of assets; undefined: only check
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
