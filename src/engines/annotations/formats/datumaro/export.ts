import { posix } from 'node:path';
import type { FrameShape } from '../annotated-frames.js';
import { compressCounts, toCocoMask } from '../coco-mask.js';
import { type Dataset, type DatasetFrame, groupedBy, subsetFolder } from '../dataset.js';
import type { AnnotationSource, ExportFormat, FormatInfo } from '../format.js';
import { type ItemAttribute, labelPositions, shapeAttributes, tagAttributes } from '../items/attributes.js';
import { cloudItemsWith, cuboidOf, isCuboid, relatedNames, tracksOn } from '../items/clouds.js';
import { bitmapOf } from '../items/conversions.js';
import { DrawingBudget } from '../items/drawing-budget.js';
import { annotatedItems, type AnnotatedItem, type DatasetItems, itemsWith, twoDecimals } from '../items/items.js';
import { keypointsOf, type Skeleton, skeletonsOf } from '../items/skeletons.js';
import { LabelNames } from '../label-names.js';
import { inPieces } from '../text-pieces.js';

/** What differs between datasets of images and of point clouds. */
interface Kind {
  readonly info: FormatInfo;
  readonly itemsOf: (dataset: Dataset) => DatasetItems;
  /** The folder of the images or point clouds. */
  readonly folder: string;
  /** The part of an item that describes its media. */
  readonly mediaOf: (item: AnnotatedItem, withImages: boolean) => object;
  readonly related?: NonNullable<ExportFormat['relatedPaths']>;
}

const IMAGES: Kind = {
  info: { name: 'Datumaro 1.0', ext: 'ZIP', version: '1.0', enabled: true, dimension: '2d' },
  itemsOf: itemsWith(),
  folder: 'images',
  mediaOf({ image, task, frame }, withImages) {
    const path = withImages ? image : task.video === null ? frame.name : `${frame.name}.PNG`;
    return { image: { path, size: [frame.height, frame.width] } };
  },
};

const cloudItems = cloudItemsWith();

const CLOUDS: Kind = {
  info: { name: 'Datumaro 3D 1.0', ext: 'ZIP', version: '1.0', enabled: true, dimension: '3d' },
  itemsOf: cloudItems,
  folder: 'point_clouds',
  mediaOf({ image, frame }, withImages) {
    const related = (withImages ? numberedImages(frame) : relatedNames(frame)).map((path) => ({ path }));
    return {
      point_cloud: { path: withImages ? image : frame.name },
      ...(related.length > 0 && { related_images: related }),
    };
  },
  related(frame, dataset) {
    const { subset, id } = cloudItems(dataset).of(frame);
    return numberedImages(frame).map((name) => `related_images/${subset}/${id}/${name}`);
  },
};

const numberedImages = ({ related = [] }: DatasetFrame): string[] =>
  related.map((path, at) => `image_${at}${posix.extname(path).toLowerCase()}`);

const exportOf = (kind: Kind): ExportFormat => ({
  info: kind.info,
  imagePath(frame, _task, dataset) {
    const { subset, image } = kind.itemsOf(dataset).of(frame);
    return `${kind.folder}/${subset}/${image}`;
  },
  ...(kind.related !== undefined && { relatedPaths: kind.related }),
  async write(dataset, source, sink, { withImages }) {
    const items = kind.itemsOf(dataset);
    const subsets = groupedBy(dataset.tasks, subsetFolder);
    // A project without frames still has labels.
    if (subsets.size === 0) subsets.set('default', []);
    for (const [subset, tasks] of subsets) {
      const document = documentOf({ ...dataset, tasks }, source, kind, { items, withImages });
      await sink.addFile(`annotations/${subset}.json`, inPieces(document));
    }
  },
});

/** Datumaro's own format: a JSON file per subset that keeps everything except cuboids in images. */
export const datumaroExport = exportOf(IMAGES);

/** The same for point clouds, with tags and cuboids. */
export const datumaro3dExport = exportOf(CLOUDS);

async function* documentOf(
  dataset: Dataset,
  source: AnnotationSource,
  { info, mediaOf }: Kind,
  { items, withImages }: { readonly items: DatasetItems; readonly withImages: boolean },
): AsyncGenerator<string> {
  const writer = new AnnotationWriter(dataset);
  const isCloud = info.dimension === '3d';
  yield `{"info":{},"categories":${JSON.stringify(categoriesOf(dataset, writer))},"items":[`;
  let separator = '';
  for await (const item of annotatedItems(dataset, source, items)) {
    const { id, frame } = item;
    yield (
      separator +
      JSON.stringify({
        id,
        annotations: isCloud ? writer.cloudAnnotationsOf(item) : writer.annotationsOf(item),
        attr: { frame: frame.number },
        ...mediaOf(item, withImages),
      })
    );
    separator = ',';
  }
  yield ']}';
}

function categoriesOf({ labels }: Dataset, { skeletons, positions }: AnnotationWriter): object {
  const names = new Map(labels.map(({ id, name }) => [id, name]));
  const attributes = new Set(['occluded', ...labels.flatMap((label) => label.attributes.map(({ name }) => name))]);
  return {
    label: {
      labels: labels.map(({ name, parentId }) => ({
        name,
        parent: parentId === null ? '' : (names.get(parentId) ?? ''),
        attributes: [],
      })),
      attributes: [...attributes].sort(),
    },
    points: {
      items: [...skeletons.values()].map(({ label, elements, edges }) => ({
        label_id: positions.get(label.id),
        labels: elements.map(({ name }) => name),
        joints: edges,
      })),
    },
  };
}

class AnnotationWriter {
  readonly skeletons: ReadonlyMap<number, Skeleton>;
  readonly positions: ReadonlyMap<number, number>;
  private readonly labels: LabelNames;

  constructor({ labels }: Dataset) {
    this.skeletons = skeletonsOf(labels);
    this.positions = labelPositions(labels);
    this.labels = new LabelNames(labels);
  }

  annotationsOf(item: AnnotatedItem): object[] {
    const budget = new DrawingBudget(item.frame);
    return [...this.tagsOf(item), ...item.shapes.flatMap((shape) => this.shapeOf(shape, item, budget) ?? [])];
  }

  /** Single cuboids are numbered after the tracks of the frame. */
  cloudAnnotationsOf(item: AnnotatedItem): object[] {
    let next = tracksOn(item);
    const cuboids = item.shapes.filter(isCuboid).map((shape) => ({
      id: shape.track ?? next++,
      type: 'cuboid_3d',
      attributes: valuesOf(shapeAttributes(shape, this.labels)),
      group: shape.group ?? 0,
      label_id: this.positions.get(shape.label_id),
      ...cuboidOf(shape),
    }));
    return [...this.tagsOf(item), ...cuboids];
  }

  private tagsOf({ tags }: AnnotatedItem): object[] {
    return tags.map((tag) => ({
      id: 0,
      type: 'label',
      attributes: valuesOf(tagAttributes(tag, this.labels)),
      group: tag.group ?? 0,
      label_id: this.positions.get(tag.label_id),
    }));
  }

  private shapeOf(shape: FrameShape, { frame }: AnnotatedItem, budget: DrawingBudget): object | undefined {
    const { points, group, label_id: label, z_order } = shape;
    const head = (type: string): object => ({
      id: 0,
      type,
      attributes: valuesOf(shapeAttributes(shape, this.labels)),
      group: group ?? 0,
      label_id: this.positions.get(label),
    });
    switch (shape.type) {
      case 'rectangle': {
        const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = points;
        return { ...head('bbox'), z_order, bbox: [x1, y1, x2 - x1, y2 - y1].map(twoDecimals) };
      }
      case 'polygon':
      case 'polyline':
        return { ...head(shape.type), points, z_order };
      case 'points':
        return { ...head('points'), points, z_order, visibility: Array.from({ length: points.length / 2 }, () => 2) };
      case 'ellipse': {
        const [cx = 0, cy = 0, right = 0, top = 0] = points;
        const box = [2 * cx - right, top, right, 2 * cy - top].map(twoDecimals);
        return { ...head('ellipse'), points: box, z_order };
      }
      case 'mask': {
        budget.spend(frame.width + frame.height, 0);
        const bitmap = bitmapOf(shape, frame, budget);
        if (bitmap === undefined) return undefined;
        const mask = toCocoMask(bitmap, frame);
        return { ...head('mask'), rle: { counts: compressCounts(mask.rle.counts), size: mask.rle.size }, z_order };
      }
      case 'skeleton':
        return this.skeletonOf(shape, head('skeleton'));
      case 'cuboid':
        return undefined;
    }
  }

  private skeletonOf(shape: FrameShape, head: object): object | undefined {
    const skeleton = this.skeletons.get(shape.label_id);
    if (skeleton === undefined) return undefined;
    const byLabel = new Map(shape.elements.map((element) => [element.label_id, element]));
    const attributes = { ...valuesOf(shapeAttributes(shape, this.labels)), keyframe: shape.keyframe === true };
    return {
      ...head,
      attributes,
      points: keypointsOf(shape, skeleton).flatMap(({ x, y, visibility }) => [x, y, visibility]),
      points_attributes: skeleton.elements.map(({ id }, at) => {
        const element = byLabel.get(id);
        if (element === undefined) return {};
        const own = valuesOf(tagAttributes(element, this.labels));
        return shape.track === undefined ? own : { ...own, track_id: at, keyframe: shape.keyframe === true };
      }),
    };
  }
}

const valuesOf = (attributes: readonly ItemAttribute[]): Record<string, ItemAttribute['value']> =>
  Object.fromEntries(attributes.map(({ name, value }) => [name, value]));
