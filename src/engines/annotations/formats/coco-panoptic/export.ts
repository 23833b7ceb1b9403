import type { FrameShape } from '../annotated-frames.js';
import { HEAD } from '../coco-export.js';
import type { Dataset, DatasetLabel } from '../dataset.js';
import { type ExportFormat, FormatError, shown } from '../format.js';
import { attributeNamed, shapeAttributes } from '../items/attributes.js';
import { hexColor } from '../items/colors.js';
import { byLayer } from '../items/conversions.js';
import { type AnnotatedItem, annotatedItems, itemsWith, type SubsetPart, subsetParts } from '../items/items.js';
import type { Extent } from '../items/mask-images.js';
import { paintedLayers, areaMasks } from '../items/painting.js';
import { Spool } from '../../../files/spool.js';
import { type PendingFile, writeAhead } from '../items/write-ahead.js';
import { LabelNames } from '../label-names.js';
import { inPieces } from '../text-pieces.js';
import { colorOf, panopticInfo } from './layout.js';

const itemsOf = itemsWith();

/**
 * COCO's format for panoptic segmentation: every pixel belongs to at most one segment. Whatever has an area becomes a
 * segment, and upper layers cover lower ones.
 */
export const panopticExport: ExportFormat = {
  info: panopticInfo,
  imagePath(frame, _task, dataset) {
    const { subset, image } = itemsOf(dataset).of(frame);
    return `images/${subset}/${image}`;
  },
  async write(dataset, source, sink, { scratch }) {
    const items = itemsOf(dataset);
    for (const part of subsetParts(dataset, items)) {
      const path = `annotations/panoptic_${part.subset}`;
      // The list describes the pixels that are painted, so it follows the images.
      const annotations = await Spool.open(scratch);
      try {
        await writeAhead(sink, imagesOf(part, annotatedItems(part.dataset, source, items), path, annotations));
        await sink.addFile(`${path}.json`, inPieces(documentOf(part, annotations)));
      } finally {
        await annotations.close();
      }
    }
  },
};

const MAX_SEGMENTS = 2 ** 24 - 1;

/** @param annotations receives the list of annotations */
async function* imagesOf(
  { dataset, items: members }: SubsetPart,
  items: AsyncIterable<AnnotatedItem>,
  folder: string,
  annotations: Spool,
): AsyncGenerator<PendingFile> {
  const labels = new LabelNames(dataset.labels);
  const categoryIds = new Map(categoriesOf(dataset).map(({ id }, at) => [id, at + 1]));
  const imageIds = new Map(members.map(({ frame }, at) => [frame, at + 1]));
  let separator = '\n';
  for await (const { id, frame, shapes } of items) {
    const masks = byLayer(areaMasks(shapes, frame));
    if (masks.length > MAX_SEGMENTS) {
      throw new FormatError(
        `COCO Panoptic has at most ${MAX_SEGMENTS} segments in an image, but ${shown(id)} has more.`,
      );
    }
    const painted = paintedLayers(frame, masks, (at) => colorOf(at + 1));
    if (painted === undefined) continue;
    yield { path: `${folder}/${id}.png`, content: painted.png };
    const segments = masks.flatMap(({ shape }, at): Segment[] => {
      const extent = painted.visible.get(at);
      return extent === undefined ? [] : [{ id: at + 1, shape, extent }];
    });
    const segments_info = segments.map((segment) => infoOf(segment, categoryIds, labels));
    await annotations.add(
      separator + JSON.stringify({ image_id: imageIds.get(frame), file_name: `${id}.png`, segments_info }),
    );
    separator = ',\n';
  }
}

interface Segment {
  /** The number of its mask. */
  readonly id: number;
  readonly shape: FrameShape;
  /** Of the pixels that no upper layer covers. */
  readonly extent: Extent;
}

const categoriesOf = ({ labels }: Dataset): DatasetLabel[] => labels.filter(({ parentId }) => parentId === null);

async function* documentOf({ dataset, items }: SubsetPart, annotations: Spool): AsyncGenerator<string> {
  const categories = categoriesOf(dataset).map(({ name, color }, at) => {
    return { id: at + 1, name, supercategory: '', isthing: 1, color: hexColor(color) };
  });
  yield `${JSON.stringify(HEAD).slice(0, -1)},"categories":${JSON.stringify(categories)},"images":[`;
  for (const [at, { frame, image }] of items.entries()) {
    const { width, height } = frame;
    yield (at === 0 ? '\n' : ',\n') + JSON.stringify({ id: at + 1, width, height, file_name: image });
  }
  yield '],"annotations":[';
  yield* annotations.read();
  yield '\n]}\n';
}

function infoOf({ id, shape, extent }: Segment, categoryIds: ReadonlyMap<number, number>, labels: LabelNames): object {
  const { left, top, right, bottom, area } = extent;
  const attributes = shapeAttributes(shape, labels);
  const kept = attributes.filter(({ name }) => name !== 'rotation' && name !== 'keyframe');
  return {
    id,
    category_id: categoryIds.get(shape.label_id),
    area,
    bbox: [left, top, right - left + 1, bottom - top + 1],
    iscrowd: Number(attributeNamed(attributes, 'is_crowd') === true),
    attributes: Object.fromEntries(kept.map(({ name, value }) => [name, value])),
  };
}
