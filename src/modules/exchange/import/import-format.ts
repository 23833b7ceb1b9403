import { FormatError, type DatasetFiles, type ImportFormat } from '../../../engines/annotations/formats/format.js';
import { likelyFormats } from '../../../engines/annotations/formats/likely-formats.js';
import { importFormats } from '../../../engines/annotations/formats/registry.js';
import { RequestFailure } from '../../requests/index.js';
import type { ImportReport } from './import-report.js';

/** What tells the format of a file. */
interface FormatParameters {
  /** Empty if the format is recognized. */
  readonly format: string;
  readonly dryRun?: boolean;
}

/**
 * The format in which a file is read. A dry run also reports the formats that the file may have.
 * @param dimension of the object that it is imported into; undefined if it has no frames
 * @throws FormatError if the file has no known format; RequestFailure if the format was removed
 */
export async function formatOf(
  { format: name, dryRun }: FormatParameters,
  files: DatasetFiles,
  report: ImportReport,
  dimension: '2d' | '3d' | undefined,
): Promise<ImportFormat> {
  const likely = dryRun === true ? await likelyFormats(files, importFormats.all, dimension) : [];
  report.formats = likely.map(({ info }) => info.name);
  const format = name === '' ? likely[0] : importFormats.find(name);
  report.format = format?.info.name ?? null;
  if (format !== undefined) return format;
  if (name !== '') throw new RequestFailure(`The format ${name} is no longer available`);
  throw new FormatError('The file has no annotations in a known format. If it has, select the format.');
}

/** Runs an import in a given format. An error names the format that the file looks like, if it is another one. */
export async function withLikelyFormat(
  { format: name }: FormatParameters,
  files: DatasetFiles,
  report: ImportReport,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof FormatError) || name === '') throw error;
    const likely = await likelyFormats(files, importFormats.all, undefined);
    report.formats = likely.map(({ info }) => info.name);
    const [best] = likely;
    if (best === undefined || report.formats.includes(name)) throw error;
    const reason = error.message.replace(/(?<!\.)$/, '.');
    throw new FormatError(`${reason} The file looks like ${best.info.name}.`, { cause: error });
  }
}
