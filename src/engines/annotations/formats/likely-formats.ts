import { ArchiveSample } from './archive-sample.js';
import { type DatasetFiles, fitsDimension, FormatError, type ImportFormat, type Likeness } from './format.js';
import { ImportNotes } from './import-notes.js';
import { relatedPaths } from './unrelated-files.js';

/**
 * The formats that files may have, by their content, the most likely one first.
 * @param dimension of the object that they are imported into; undefined if it has no frames yet
 */
export async function likelyFormats(
  archive: DatasetFiles,
  formats: readonly ImportFormat[],
  dimension: '2d' | '3d' | undefined,
): Promise<ImportFormat[]> {
  const files = { paths: relatedPaths(archive.paths), read: (path: string) => archive.read(path) };
  const sample = new ArchiveSample(files);
  const found: { readonly format: ImportFormat; readonly likeness: Likeness }[] = [];
  for (const format of formats) {
    if (!format.info.enabled || !fitsDimension(format.info, dimension)) continue;
    const likeness = await (format.recognize === undefined ? trial(format, files) : format.recognize(sample));
    if (likeness > 0) found.push({ format, likeness });
  }
  return found.toSorted((a, b) => b.likeness - a.likeness).map(({ format }) => format);
}

/** Formats of extensions may not recognize files, so they try to read them. */
async function trial(format: ImportFormat, files: DatasetFiles): Promise<Likeness> {
  const notes = new ImportNotes(true);
  try {
    for await (const _ of format.read(files, { labels: [], frames: [], mode: 'annotation', notes })) return 2;
  } catch (error) {
    if (error instanceof FormatError) return 0;
    throw error;
  }
  return notes.skipped.length > 0 ? 2 : 0;
}
