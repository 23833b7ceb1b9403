import { posix } from 'node:path';
import { encodeCompressedFrame } from '../../../engines/media/image-encode.js';
import { storedZip } from '../../../engines/media/stored-zip.js';

const QUALITY = 90;

/** The context images of a frame as an archive of JPEGs, named within their common folder. */
export async function contextArchive(
  files: readonly { readonly path: string; read(): Promise<Buffer> }[],
): Promise<Buffer> {
  const names = relativeNames(files.map(({ path }) => path));
  const members: { name: string; data: Buffer }[] = [];
  for (const [index, { path, read }] of files.entries()) {
    const data = await encodeCompressedFrame(await read(), path, QUALITY);
    members.push({ name: `${names[index] ?? ''}.jpg`, data });
  }
  return storedZip(members);
}

/** A single file is its own common folder, so its name becomes a dot, as clients of the contract see it. */
function relativeNames(paths: readonly string[]): string[] {
  if (paths.length === 1) return ['.'];
  const folders = paths.map((path) => posix.dirname(path).split('/'));
  const [first = []] = folders;
  const differs = first.findIndex((part, at) => folders.some((folder) => folder[at] !== part));
  const common = (differs === -1 ? first : first.slice(0, differs)).join('/');
  return paths.map((path) => posix.relative(common, path));
}
