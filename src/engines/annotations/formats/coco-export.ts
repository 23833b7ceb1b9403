import type { AttributeValue } from '../../../shared/annotations/model.js';
import { annotatedFrames, type FramePart, type FrameShape } from './annotated-frames.js';
import { cocoGroup, type CocoShape, rounded } from './coco-shapes.js';
import { type Dataset, imageName, subsetFolder, groupedBy } from './dataset.js';
import type { AnnotationSource, ExportFormat } from './format.js';
import { DrawingBudget } from './items/drawing-budget.js';
import { LabelNames } from './label-names.js';
import { inPieces } from './text-pieces.js';

/**
 * COCO instances, one file per subset. Rectangles become boxes without segmentation, polygons and ellipses become
 * polygons, and masks become run-length encoded crowds. The shapes of a group become one object.
 * The format has no tags, points, polylines, cuboids, skeletons, layers or sources.
 */
export const cocoExport: ExportFormat = {
  info: { name: 'COCO 1.0', ext: 'ZIP', version: '1.0', enabled: true, dimension: '2d' },
  imagePath: (frame, task) => `images/${subsetFolder(task)}/${imageName(frame, task)}`,
  async write(dataset, source, sink) {
    const subsets = groupedBy(dataset.tasks, subsetFolder);
    // A project without frames still has labels.
    if (subsets.size === 0) subsets.set('default', []);
    const ids = imageIds(dataset);
    for (const [subset, tasks] of subsets) {
      const document = instances({ ...dataset, tasks }, source, ids);
      await sink.addFile(`annotations/instances_${subset}.json`, inPieces(document));
    }
  },
};

/** Each file begins with it; the lists are streamed. */
export const HEAD = {
  licenses: [{ name: '', id: 0, url: '' }],
  info: { contributor: '', date_created: '', description: '', url: '', version: '', year: '' },
};

/** Numbers of images by name: images of one name have one number, whatever their subset. */
function imageIds({ tasks }: Dataset): ReadonlyMap<string, number> {
  const ids = new Map<string, number>();
  for (const task of tasks) {
    for (const frame of task.frames) {
      const name = imageName(frame, task);
      if (!ids.has(name)) ids.set(name, ids.size + 1);
    }
  }
  return ids;
}

async function* instances(
  dataset: Dataset,
  source: AnnotationSource,
  ids: ReadonlyMap<string, number>,
): AsyncGenerator<string> {
  const labels = new LabelNames(dataset.labels);
  const categoryIds = new Map(dataset.labels.map(({ id }, at) => [id, at + 1]));
  const categories = dataset.labels.map(({ id, name, parentId }) => ({
    id: categoryIds.get(id),
    name,
    supercategory: parentId === null ? '' : labels.get(parentId).name,
  }));
  yield `${JSON.stringify(HEAD).slice(0, -1)},"categories":${JSON.stringify(categories)},"images":[`;
  yield* imageTexts(dataset, ids);
  yield '],"annotations":[';
  let count = 0;
  for await (const { objects, image } of frameObjects(annotatedFrames(dataset, source), labels)) {
    let text = '';
    for (const { shape, coco } of objects) {
      const annotation = {
        id: ++count,
        image_id: ids.get(image),
        category_id: categoryIds.get(shape.label_id) ?? 0,
        segmentation: coco.segmentation,
        area: coco.area,
        bbox: coco.bbox,
        iscrowd: coco.iscrowd,
        attributes: cocoAttributes(shape, labels),
      };
      text += (count === 1 ? '\n' : ',\n') + JSON.stringify(annotation);
    }
    yield text;
  }
  yield '\n]}\n';
}

function* imageTexts({ tasks }: Dataset, ids: ReadonlyMap<string, number>): Generator<string> {
  let separator = '\n';
  for (const task of tasks) {
    for (const frame of task.frames) {
      const { width, height } = frame;
      const id = ids.get(imageName(frame, task));
      const urls = { license: 0, flickr_url: '', coco_url: '', date_captured: 0 };
      yield separator + JSON.stringify({ id, width, height, file_name: imageName(frame, task), ...urls });
      separator = ',\n';
    }
  }
}

interface CocoObject {
  readonly shape: FrameShape;
  readonly coco: CocoShape;
}

/** Yields the objects of the parts of frames. Those of groups come with the last part of their frame. */
async function* frameObjects(
  parts: AsyncIterable<FramePart>,
  labels: LabelNames,
): AsyncGenerator<{ readonly image: string; readonly objects: readonly CocoObject[] }> {
  const isCrowd = (shape: FrameShape): boolean =>
    shape.attributes.some(({ spec_id, value }) => isCrowdSpec(spec_id, labels) && /^true$/i.test(value));
  let grouped = new Map<number, FrameShape[]>();
  let budget: DrawingBudget | undefined;
  for await (const { frame, task, first, last, shapes } of parts) {
    if (first || budget === undefined) budget = new DrawingBudget(frame);
    const own = budget;
    const objects: CocoObject[] = [];
    const add = (members: readonly FrameShape[]): void => {
      const object = cocoGroup(members, frame, isCrowd, own);
      if (object !== undefined) objects.push(object);
    };
    for (const shape of shapes) {
      const others = shape.group ? grouped.get(shape.group) : undefined;
      if (!shape.group) add([shape]);
      else if (others === undefined) grouped.set(shape.group, [shape]);
      else others.push(shape);
    }
    if (last) {
      for (const members of grouped.values()) add(members);
      grouped = new Map();
    }
    yield { image: imageName(frame, task), objects };
  }
}

/** Whether an object is a crowd is a field of its own. */
function isCrowdSpec(specId: number, labels: LabelNames): boolean {
  const { name, inputType } = labels.attribute(specId) ?? {};
  return name === 'is_crowd' && inputType === 'checkbox';
}

type CocoValue = string | number | boolean;

/** The properties that COCO has no field for, written to `attributes`. */
function cocoAttributes(shape: FrameShape, labels: LabelNames): Record<string, CocoValue> {
  const found = Object.fromEntries<CocoValue>(
    shape.attributes.flatMap((value) => (isCrowdSpec(value.spec_id, labels) ? [] : typedValue(value, labels))),
  );
  found['occluded'] = shape.occluded;
  if (shape.type === 'rectangle') found['rotation'] = rounded(shape.rotation);
  if (shape.track !== undefined) {
    found['track_id'] = shape.track;
    found['keyframe'] = shape.keyframe === true;
  }
  return found;
}

/** Checkboxes become booleans and numbers become numbers, if their text is one. */
function typedValue({ spec_id, value }: AttributeValue, labels: LabelNames): [string, CocoValue][] {
  const spec = labels.attribute(spec_id);
  if (spec === undefined) return [];
  if (spec.inputType === 'checkbox' && /^(?:true|false)$/i.test(value))
    return [[spec.name, value.toLowerCase() === 'true']];
  // Only numbers that read back as the same text are written without quotes.
  if (spec.inputType === 'number' && String(Number(value)) === value && Number.isFinite(Number(value))) {
    return [[spec.name, Number(value)]];
  }
  return [[spec.name, value]];
}
