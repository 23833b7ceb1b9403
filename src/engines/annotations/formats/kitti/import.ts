import type { LabeledData } from '../../../../shared/annotations/model.js';
import { type DatasetFiles, datasetNotFound, type ImportFormat, type ImportTarget, refuse } from '../format.js';
import { ArchiveSample, firstLine } from '../archive-sample.js';
import { type ImportNotes, isOtherSubset } from '../import-notes.js';
import { type FolderMember, imageIn, memberOf, rootOf } from '../items/dataset-root.js';
import type { FoundAnnotation } from '../items/found-annotation.js';
import { ItemImport } from '../items/item-import.js';
import { twoDecimals } from '../items/items.js';
import { crowdLabels, LABEL_COLORS, labelOfPixels, numberedLabels } from '../items/label-colors.js';
import { bitmapsByValue, readMaskImage } from '../items/mask-images.js';
import { FoundLabels } from '../label-names.js';
import { readLines } from '../text-pieces.js';
import { FOLDERS, INSTANCES, isBox, type KittiBox, kittiInfo, parseBox } from './layout.js';

const AUXILIARY = /(?:^|\/)(?:label_colors\.txt|(?:calib|velodyne|image_3|prev_[23]|matches)\/[^]*)$/;
const MASK_FOLDERS = [FOLDERS.colors, FOLDERS.classes, FOLDERS.instances];

/** An archive with boxes is read without its masks, as the masks of boxes are not there. */
export const kittiImport: ImportFormat = {
  info: kittiInfo,
  requires: [],
  auxiliary: AUXILIARY,
  masks: new RegExp(`(?:^|/)(?:${MASK_FOLDERS.join('|')})/`),
  /** Images of instances show the classes, too. */
  sameAs(path) {
    const member = memberOf([FOLDERS.colors, FOLDERS.classes], path);
    return member === undefined ? [] : [path.replace(`${member.folder}/`, `${FOLDERS.instances}/`)];
  },
  async recognize(sample) {
    if (await sample.some(/(?:^|\/)label_2\/.+\.txt$/i, (text) => isBox(firstLine(text)))) return 3;
    const has = (folder: string): boolean => sample.paths.some((path) => memberOf([folder], path) !== undefined);
    if (has(FOLDERS.instances) && (has(FOLDERS.classes) || has(FOLDERS.colors))) return 3;
    if (await sample.some(/\.txt$/i, (text) => isBox(firstLine(text)))) return 2;
    return has(FOLDERS.boxes) || has(FOLDERS.instances) ? 2 : rootIn(sample) === undefined ? 0 : 1;
  },
  imageAt: (path) => imageIn(FOLDERS.images, ALL_FOLDERS, path),
  async labels(files) {
    const found = new FoundLabels();
    const { boxes } = objectFiles(files);
    for (const { path } of boxes) {
      for await (const { label, truncated, score } of boxesIn(files, path)) {
        found.add(label);
        found.addAttribute(label, 'truncated', flag(truncated));
        found.addAttribute(label, 'score', String(score));
      }
    }
    if (boxes.length > 0) return found.list();
    return crowdLabels(files, rootIn(files) ?? '');
  },
  async *read(files, target) {
    const items = new ItemImport(target, { implied: ['truncated', 'score', 'is_crowd'] });
    const { boxes, masks } = objectFiles(files);
    for (const file of wanted(boxes, target)) yield* readBoxes(files, file, items);
    if (boxes.length > 0) {
      for (const { path } of masks) target.notes?.ignore(path, 'masks are not read if there are boxes in label_2');
    } else {
      const names = await numberedLabels(files, rootIn(files) ?? '', target.labels);
      for (const file of wanted(masks, target)) yield* readMask(files, file, names, items);
    }
    yield* items.finish();
    await noteOtherBoxes(files, target.notes);
  },
};

type ObjectFile = Pick<FolderMember, 'subset' | 'name'> & { readonly path: string };

const ALL_FOLDERS = Object.values(FOLDERS);

/** Files with objects; their names have no extension. @throws FormatError if the archive has no folder of the format */
function objectFiles(files: DatasetFiles): { boxes: ObjectFile[]; masks: ObjectFile[] } {
  const members = files.paths.flatMap((path) => {
    const member = memberOf(ALL_FOLDERS, path);
    return member === undefined ? [] : [{ path, ...member }];
  });
  if (members.length === 0 && rootIn(files) === undefined) {
    throw datasetNotFound('Dataset must contain a folder "label_2", "instance" or "image_2".');
  }
  const filesIn = (wantedFolder: string, extension: string): ObjectFile[] =>
    members
      .filter(({ folder, path }) => folder === wantedFolder && path.toLowerCase().endsWith(extension))
      .map(({ name, ...file }) => ({ ...file, name: name.slice(0, -extension.length) }));
  return { boxes: filesIn(FOLDERS.boxes, '.txt'), masks: filesIn(FOLDERS.instances, '.png') };
}

/** Reports boxes in other folders. They may be those of a detector, which are written in the same way. */
async function noteOtherBoxes(files: DatasetFiles, notes: ImportNotes | undefined): Promise<void> {
  const sample = new ArchiveSample(files);
  for (const path of files.paths) {
    if (!/\.txt$/i.test(path) || AUXILIARY.test(path) || memberOf(ALL_FOLDERS, path) !== undefined) continue;
    if (isBox(await sample.line(path))) notes?.ignore(path, 'boxes are read from folders label_2 only');
  }
}

const wanted = (list: readonly ObjectFile[], target: ImportTarget): ObjectFile[] =>
  list.filter(({ subset, path }) => !isOtherSubset(subset, path, target));

const rootIn = ({ paths }: Pick<DatasetFiles, 'paths'>): string | undefined =>
  rootOf(paths, new RegExp(`^${LABEL_COLORS}$`));

async function* boxesIn(files: DatasetFiles, path: string): AsyncGenerator<KittiBox & { readonly location: string }> {
  for await (const { text, location } of readLines(files.read(path), path)) {
    yield { ...parseBox(text, location), location };
  }
}

const flag = (value: number): string => (value === 0 ? 'False' : 'True');

async function* readBoxes(
  files: DatasetFiles,
  { path, name }: ObjectFile,
  items: ItemImport,
): AsyncGenerator<LabeledData> {
  const found: FoundAnnotation[] = [];
  for await (const { label: text, truncated, score, points, occluded, location } of boxesIn(files, path)) {
    const label = items.labels.named(text, location);
    const isNumber = label.attributes.some((each) => each.name === 'truncated' && each.inputType === 'number');
    found.push({
      type: 'rectangle',
      label,
      points: points.map(twoDecimals),
      occluded,
      attributes: [
        ['truncated', isNumber ? String(truncated) : flag(truncated)],
        ['score', String(score)],
      ],
      location,
    });
  }
  if (found.length > 0) yield* items.add(items.frames.named(name, path), found);
}

async function* readMask(
  files: DatasetFiles,
  { path, name }: ObjectFile,
  names: readonly string[],
  items: ItemImport,
): AsyncGenerator<LabeledData> {
  const frame = items.frames.named(name, path);
  const found: FoundAnnotation[] = [];
  for (const [value, bitmap] of bitmapsByValue(await readMaskImage(files, path, 'gray', frame), path)) {
    const labelName =
      names[Math.floor(value / INSTANCES)] ?? refuse(path, `the value ${value} has no label in the list of labels`);
    const label = labelOfPixels(items.labels, labelName, path);
    if (label === undefined) continue;
    const attributes = [['is_crowd', String(value % INSTANCES === 0)]] as const;
    found.push({ type: 'pixels', label, bitmap, attributes, location: path });
  }
  yield* items.add(frame, found);
}
