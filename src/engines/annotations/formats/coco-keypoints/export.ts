import type { FrameShape } from '../annotated-frames.js';
import { HEAD } from '../coco-export.js';
import { type Bbox, cocoGroup, type CocoShape, unitedBox } from '../coco-shapes.js';
import { type DatasetFrame, type DatasetLabel, groupedBy } from '../dataset.js';
import type { ExportFormat } from '../format.js';
import { shapeAttributes } from '../items/attributes.js';
import {
  type AnnotatedItem,
  annotatedItems,
  boundsOf,
  type DatasetItem,
  type DatasetItems,
  itemsWith,
  subsetParts,
  twoDecimals,
} from '../items/items.js';
import { keypointsOf, type Skeleton, skeletonsOf, VISIBILITY } from '../items/skeletons.js';
import { LabelNames } from '../label-names.js';
import { inPieces } from '../text-pieces.js';
import { keypointsInfo, PREFIX } from './layout.js';

const keypointsItems = itemsWith();

/** A file for each subset with its skeletons. Of other shapes, only those in a group with a skeleton are written. */
export const cocoKeypointsExport: ExportFormat = {
  info: keypointsInfo,
  imagePath(frame, _task, dataset) {
    const { subset, image } = keypointsItems(dataset).of(frame);
    return `images/${subset}/${image}`;
  },
  async write(dataset, source, sink) {
    const items = keypointsItems(dataset);
    const context = { labels: dataset.labels, names: new LabelNames(dataset.labels), ids: imageIds(items) };
    for (const { subset, dataset: part, items: members } of subsetParts(dataset, items)) {
      const document = documentOf(members, annotatedItems(part, source, items), context);
      await sink.addFile(`annotations/${PREFIX}${subset}.json`, inPieces(document));
    }
  },
};

interface Context {
  readonly labels: readonly DatasetLabel[];
  readonly names: LabelNames;
  /** Numbers of images by name: images of one name have one number, whatever their subset. */
  readonly ids: ReadonlyMap<string, number>;
}

function imageIds({ all }: DatasetItems): Map<string, number> {
  const ids = new Map<string, number>();
  for (const { image } of all) if (!ids.has(image)) ids.set(image, ids.size + 1);
  return ids;
}

async function* documentOf(
  items: readonly DatasetItem[],
  annotated: AsyncIterable<AnnotatedItem>,
  context: Context,
): AsyncGenerator<string> {
  yield `${JSON.stringify(HEAD).slice(0, -1)},"categories":${JSON.stringify(categoriesOf(context.labels))},"images":[`;
  for (const [at, { image, frame }] of items.entries()) {
    const { width, height } = frame;
    const entry = { id: context.ids.get(image), width, height, file_name: image, license: 0 };
    const urls = { flickr_url: '', coco_url: '', date_captured: 0 };
    yield `${at === 0 ? '\n' : ',\n'}${JSON.stringify({ ...entry, ...urls })}`;
  }
  yield '],"annotations":[';
  let count = 0;
  for await (const item of annotated) {
    for (const annotation of annotationsOf(item, context)) {
      const entry = { id: ++count, image_id: context.ids.get(item.image), ...annotation };
      yield (count === 1 ? '\n' : ',\n') + JSON.stringify(entry);
    }
  }
  yield '\n]}\n';
}

/** The labels without those of elements, which are the keypoints of their skeletons. */
const categoriesOf = (labels: readonly DatasetLabel[]): object[] =>
  labels.flatMap(({ id, name, parentId }, at) => {
    const { elements = [], edges = [] } = skeletonsOf(labels).get(id) ?? {};
    const keypoints = elements.map((element) => element.name);
    return parentId === null ? [{ id: at + 1, name, supercategory: '', keypoints, skeleton: edges }] : [];
  });

function annotationsOf({ shapes, frame }: AnnotatedItem, { labels, names }: Context): object[] {
  const skeletons = skeletonsOf(labels);
  const groups = groupedBy(shapes, ({ group }) => group);
  const indices = new Map(labels.map((label, at) => [label, at]));
  return shapes.flatMap((shape) => {
    const skeleton = skeletons.get(shape.label_id);
    if (shape.type !== 'skeleton' || skeleton === undefined) return [];
    const others = groupOf(shape, groups, frame);
    const attributes = shapeAttributes(shape, names).map(({ name, value }) => [name, value] as const);
    if (shape.track === undefined) attributes.push(['keyframe', false]);
    return [
      {
        category_id: (indices.get(skeleton.label) ?? -1) + 1,
        ...objectOf(shape, skeleton, others),
        attributes: Object.fromEntries(attributes),
        ...keypointFields(shape, skeleton),
      },
    ];
  });
}

/** The other shapes of a skeleton's group; if a group has several skeletons, they belong to the first. */
function groupOf(
  { group }: FrameShape,
  groups: Map<number | null, readonly FrameShape[]>,
  frame: DatasetFrame,
): CocoShape | undefined {
  const others = group === 0 || group === null ? undefined : groups.get(group);
  groups.delete(group);
  return others === undefined ? undefined : cocoGroup(others, frame)?.coco;
}

function objectOf(shape: FrameShape, skeleton: Skeleton, others: CocoShape | undefined): CocoShape {
  const seen = keypointsOf(shape, skeleton).filter(({ visibility }) => visibility !== VISIBILITY.outside);
  const [left, top, right, bottom] = boundsOf(seen.flatMap(({ x, y }) => [x, y]));
  const own: Bbox[] = seen.length === 0 ? [] : [[left, top, right - left, bottom - top]];
  const boxes = [...own, ...(others === undefined ? [] : [others.bbox])];
  const bbox = boxes.length === 0 ? ([0, 0, 0, 0] satisfies Bbox) : unitedBox(boxes);
  const { segmentation = [], iscrowd = 0 } = others ?? {};
  const hasArea = !Array.isArray(segmentation) || segmentation.length > 0;
  return { segmentation, area: hasArea && others ? others.area : twoDecimals(bbox[2] * bbox[3]), bbox, iscrowd };
}

function keypointFields(shape: FrameShape, skeleton: Skeleton): { keypoints: number[]; num_keypoints: number } {
  const points = keypointsOf(shape, skeleton);
  return {
    keypoints: points.flatMap(({ x, y, visibility }) => [x, y, visibility]),
    num_keypoints: points.filter(({ visibility }) => visibility !== VISIBILITY.outside).length,
  };
}
