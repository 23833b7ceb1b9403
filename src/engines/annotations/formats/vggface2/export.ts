import type { FrameShape } from '../annotated-frames.js';
import { csvText } from '../csv.js';
import { type DatasetFrame, folderName } from '../dataset.js';
import { type ExportFormat, FormatError } from '../format.js';
import {
  type AnnotatedItem,
  annotatedItems,
  decimalText,
  itemsWith,
  subsetParts,
  twoDecimals,
} from '../items/items.js';
import { requireDistinctIds, requireFolders, requireListableLabels } from '../items/names.js';
import { LabelNames } from '../label-names.js';
import { BOX_COLUMNS, LANDMARK_COLUMNS, NO_LABEL, vggFace2Info } from './layout.js';

const vggFace2Items = itemsWith();

export const vggFace2Export: ExportFormat = {
  info: vggFace2Info,
  imagePath(frame, _task, dataset) {
    const { subset, image } = vggFace2Items(dataset).of(frame);
    return `${subset}/${NO_LABEL}/${image}`;
  },
  async write(dataset, source, sink) {
    requireListableLabels(vggFace2Info.name, dataset.labels);
    requireFolders(vggFace2Info.name, dataset.labels, NO_LABEL);
    requireDistinctIds(vggFace2Info.name, vggFace2Items(dataset));
    const labels = new LabelNames(dataset.labels);
    const lines = dataset.labels.map(({ name, parentId }) =>
      parentId === null ? `${name}\n` : `${name} ${labels.get(parentId).name}\n`,
    );
    await sink.addFile('labels.txt', Buffer.from(lines.join('')));
    const items = vggFace2Items(dataset);
    const paths = new Map<DatasetFrame, string[]>();
    for (const { subset, dataset: part } of subsetParts(dataset, items)) {
      const [boxes, landmarks]: string[][][] = [[], []];
      for await (const item of annotatedItems(part, source, items)) {
        const rows = rowsOf(item, labels);
        for (const row of rows.boxes) boxes?.push(row);
        for (const row of rows.landmarks) landmarks?.push(row);
        paths.set(item.frame, imagesOf(item, labels));
      }
      const files = [
        ['bb', BOX_COLUMNS, boxes],
        ['landmark', LANDMARK_COLUMNS, landmarks],
      ] as const;
      for (const [kind, columns, rows = []] of files) {
        if (rows.length === 0) continue;
        await sink.addFile(`bb_landmark/loose_${kind}_${subset}.csv`, Buffer.from(csvText([columns, ...rows])));
      }
    }
    return (frame) => paths.get(frame) ?? [];
  },
};

/** The rows of an image, which has at most one box and one set of landmarks. */
function rowsOf(item: AnnotatedItem, labels: LabelNames): { boxes: string[][]; landmarks: string[][] } {
  const named = (labelId: number): string => pathIn(folderName(labels.get(labelId).name), item.id);
  const boxes = only(item, 'rectangle', 'one bbox').map(({ label_id, points: [x1 = 0, y1 = 0, x2 = 0, y2 = 0] }) => [
    named(label_id),
    ...[x1, y1, x2 - x1, y2 - y1].map((value) => decimalText(twoDecimals(value))),
  ]);
  const empty = LANDMARK_COLUMNS.slice(1).map(() => '');
  const landmarks = only(item, 'points', 'one set of landmarks').map(({ label_id, points }) => [
    named(label_id),
    ...(points.length === empty.length ? points.map(decimalText) : empty),
  ]);
  for (const { label_id } of item.tags) landmarks.push([named(label_id), ...empty]);
  if (boxes.length === 0 && landmarks.length === 0) landmarks.push([pathIn(NO_LABEL, item.id), ...empty]);
  return { boxes, landmarks };
}

function only({ id, subset, shapes }: AnnotatedItem, type: FrameShape['type'], limit: string): FrameShape[] {
  const found = shapes.filter((shape) => shape.type === type);
  if (found.length > 1) throw new FormatError(`Exception: Item (${id}, ${subset}): an image can have only ${limit}`);
  return found;
}

/** An image is in the folder of each of its labels. */
function imagesOf({ tags, shapes, subset, image }: AnnotatedItem, labels: LabelNames): string[] {
  const known = shapes.filter(({ type }) => type !== 'cuboid');
  const folders = new Set([...tags, ...known].map(({ label_id }) => folderName(labels.get(label_id).name)));
  if (folders.size === 0) folders.add(NO_LABEL);
  return Array.from(folders, (folder) => `${subset}/${pathIn(folder, image)}`);
}

/** A path that is in the folder already stays as it is. */
const pathIn = (folder: string, path: string): string => (path.startsWith(`${folder}/`) ? path : `${folder}/${path}`);
