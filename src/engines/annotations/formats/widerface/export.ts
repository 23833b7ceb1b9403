import type { FrameShape } from '../annotated-frames.js';
import { type DatasetFrame, folderName } from '../dataset.js';
import type { ExportFormat } from '../format.js';
import { labelPositions, shapeAttributes } from '../items/attributes.js';
import {
  type AnnotatedItem,
  annotatedItems,
  decimalText,
  itemsWith,
  subsetParts,
  twoDecimals,
} from '../items/items.js';
import { requireFolders, requireListable, requireListableLabels } from '../items/names.js';
import { LabelNames } from '../label-names.js';
import { inPieces } from '../text-pieces.js';
import { FACE, FACE_ATTRIBUTES, MISSING, NO_LABEL, widerFaceInfo } from './layout.js';

const widerFaceItems = itemsWith();

export const widerFaceExport: ExportFormat = {
  info: widerFaceInfo,
  imagePath(frame, _task, dataset) {
    const { subset, image } = widerFaceItems(dataset).of(frame);
    return `WIDER_${subset}/images/${NO_LABEL}/${image}`;
  },
  async write(dataset, source, sink) {
    const items = widerFaceItems(dataset);
    requireListable(widerFaceInfo.name, items);
    requireListableLabels(widerFaceInfo.name, dataset.labels);
    requireFolders(widerFaceInfo.name, dataset.labels);
    await sink.addFile('labels.txt', Buffer.from(dataset.labels.map(({ name }) => name).join('\n')));
    const labels = new LabelNames(dataset.labels);
    const positions = labelPositions(dataset.labels);
    const paths = new Map<DatasetFrame, string>();
    for (const { subset, dataset: part } of subsetParts(dataset, items)) {
      const texts = async function* (): AsyncGenerator<string> {
        for await (const item of annotatedItems(part, source, items)) {
          const path = `${folderOf(item, labels, positions)}/${item.image}`;
          paths.set(item.frame, `WIDER_${subset}/images/${path}`);
          yield `${path}\n${boxLines(item, labels)}`;
        }
      };
      await sink.addFile(`wider_face_split/wider_face_${subset}_bbx_gt.txt`, inPieces(texts()));
    }
    return (frame) => [paths.get(frame) ?? []].flat();
  },
};

/** The folder of the first tag. */
function folderOf({ tags }: AnnotatedItem, labels: LabelNames, positions: ReadonlyMap<number, number>): string {
  const id = tags[0]?.label_id;
  return id === undefined ? NO_LABEL : `${positions.get(id) ?? 0}--${folderName(labels.get(id).name)}`;
}

function boxLines({ shapes }: AnnotatedItem, labels: LabelNames): string {
  const lines = shapes.filter(({ type }) => type === 'rectangle').map((shape) => `${boxLine(shape, labels)}\n`);
  return lines.length === 0 ? '' : `${lines.length}\n${lines.join('')}`;
}

function boxLine(shape: FrameShape, labels: LabelNames): string {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = shape.points;
  const box = [x1, y1, x2 - x1, y2 - y1].map((value) => decimalText(twoDecimals(value)));
  const attributes = shapeAttributes(shape, labels);
  const values = FACE_ATTRIBUTES.map((wanted) => {
    const text = attributes.find(({ name }) => name === wanted)?.text ?? '';
    return text === '' ? MISSING : text.replaceAll(/\s+/g, '_');
  });
  const { name } = labels.get(shape.label_id);
  return [...box, ...values, name === FACE ? '' : name].join(' ');
}
