import type { Dataset, DatasetFrame, DatasetLabel } from '../dataset.js';
import { type AnnotationSource, type ExportFormat, FormatError, shown } from '../format.js';
import { labelPositions } from '../items/attributes.js';
import { byLayer, type ItemMask } from '../items/conversions.js';
import { annotatedItems, itemsWith } from '../items/items.js';
import { requireDistinctIds, requireListableLabels } from '../items/names.js';
import { areaMasks, GRAY_16, paintedPng } from '../items/painting.js';
import { type PendingFile, textFile, writeAhead } from '../items/write-ahead.js';

const motsItems = itemsWith();

export const motsExport: ExportFormat = {
  info: { name: 'MOTS PNG 1.0', ext: 'ZIP', version: '1.0', enabled: true, dimension: '2d' },
  imagePath(frame, _task, dataset) {
    const { subset, image } = motsItems(dataset).of(frame);
    return `${subset}/images/${image}`;
  },
  write: (dataset, source, sink) => writeAhead(sink, filesOf(dataset, source)),
};

async function* filesOf(dataset: Dataset, source: AnnotationSource): AsyncGenerator<PendingFile> {
  requireListableLabels(motsExport.info.name, dataset.labels);
  const items = motsItems(dataset);
  requireDistinctIds(motsExport.info.name, items);
  const names = dataset.labels.map(({ name }) => name).join('\n');
  for (const subset of items.bySubset().keys()) yield textFile(`${subset}/instances/labels.txt`, names);
  const positions = labelPositions(dataset.labels);
  for await (const { shapes, frame, subset, id } of annotatedItems(dataset, source, items)) {
    const masks = areaMasks(
      shapes.filter(({ track }) => track !== undefined),
      frame,
    );
    if (masks.length === 0) continue;
    const content = instancesPng(masks, frame, { positions, labels: dataset.labels });
    yield { path: `${subset}/instances/${id}.png`, content };
  }
}

/** How many tracks a label can have. */
export const MAX_TRACKS = 1000;
const MAX_VALUE = 2 ** 16 - 1;

function instancesPng(
  masks: readonly ItemMask[],
  frame: DatasetFrame,
  { positions, labels }: { readonly positions: ReadonlyMap<number, number>; readonly labels: readonly DatasetLabel[] },
): Promise<Uint8Array> {
  const layers = byLayer(masks).map(({ shape: { label_id, track = 0 }, bitmap }) => {
    const position = positions.get(label_id) ?? 0;
    const value = (position + 1) * MAX_TRACKS + track;
    if (track >= MAX_TRACKS || value > MAX_VALUE) {
      const object = `track ${track} of the label ${shown(labels[position]?.name ?? '')}`;
      throw new FormatError(`MOTS PNG has only 64 labels with 1000 tracks, and cannot express ${object}.`);
    }
    return { bitmap, color: [value] };
  });
  return paintedPng(frame, GRAY_16, layers);
}
