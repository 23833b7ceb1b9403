import { posix } from 'node:path';
import { mediaKind } from '../../../shared/media-kind.js';
import { ArchiveSample } from './archive-sample.js';
import type { DatasetFiles, DatasetImage, ImportTarget } from './format.js';
import { withoutExtension } from './import-batch.js';
import { isOtherSubset } from './import-notes.js';
import { suffixesOf } from './items/dataset-root.js';

/** A text with the objects of an image. */
export interface LabelText {
  readonly path: string;
  readonly subset: string;
  /** The image, as the task may call it. */
  readonly names: readonly [string, ...string[]];
}

/** The subset of images that no list names. */
const SUBSET = 'train';

/** Texts that name classes, and those of tools. */
export const YOLO_AUXILIARY =
  /(?:^|\/)(?:[^/]+\.(?:data|names|labels|cfg|ya?ml)|classes\.txt|notes\.json|[^/]*dataset\.txt|[^/]*roboflow\.txt)$/i;

/**
 * The texts with objects: those where the format has them and, wherever they are, those that look like it. Lists of
 * images tell their subsets.
 * @param itemAt the image and the subset of a text in the layout of the format
 */
export async function labelTexts(
  files: DatasetFiles,
  itemAt: (path: string) => DatasetImage | undefined,
  target?: ImportTarget,
): Promise<LabelText[]> {
  const own: LabelText[] = [];
  const others: string[] = [];
  for (const path of files.paths) {
    if (!/\.txt$/i.test(path) || YOLO_AUXILIARY.test(path)) continue;
    const item = itemAt(path);
    if (item === undefined) others.push(path);
    else own.push({ path, subset: item.subset, names: [stem(item.name)] });
  }
  const found = [...own, ...(await elsewhere(files, others))];
  return found.filter(({ path, subset }) => !isOtherSubset(subset, path, target));
}

const stem = (path: string): string => path.replace(/\.txt$/i, '');

async function elsewhere(files: DatasetFiles, paths: readonly string[]): Promise<LabelText[]> {
  const sample = new ArchiveSample(files);
  const subsets = new Map<string, string>();
  const [texts, empty]: [string[], string[]] = [[], []];
  for (const path of paths) {
    const lines = await sample.lines(path);
    const [first] = lines;
    if (first === undefined) empty.push(path);
    else if (isLabelLine(first)) texts.push(path);
    else if (mediaKind(first) === 'image') {
      files.setAside?.(path);
      const subset = posix.basename(stem(path));
      for (const line of lines) subsets.set(withoutExtension(posix.basename(line)), subset);
    }
  }
  // An image without objects has an empty text next to those of other images.
  const folders = new Set(texts.map(posix.dirname));
  const labels = [...texts, ...empty.filter((path) => folders.has(posix.dirname(path)))];
  return labels.map((path) => ({
    path,
    subset: subsets.get(posix.basename(stem(path))) ?? SUBSET,
    names: suffixesOf(stem(path)),
  }));
}

/** Whether a line is a class with at least four numbers. */
export const isLabelLine = (line: string): boolean => /^\d+(?:\s+[-+]?[\d.]+(?:e[-+]?\d+)?){4,}$/i.test(line);
