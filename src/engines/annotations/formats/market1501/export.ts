import { posix } from 'node:path';
import type { DatasetFrame } from '../dataset.js';
import { type ExportFormat, FormatError, shown } from '../format.js';
import { FreeNumbers } from '../free-numbers.js';
import { attributeNamed, type ItemAttribute, tagAttributes } from '../items/attributes.js';
import { type AnnotatedItem, annotatedItems, itemsWith } from '../items/items.js';
import { requireListable } from '../items/names.js';
import { LabelNames } from '../label-names.js';
import { MARKET_LABEL, MARKET_NAME, marketInfo } from './layout.js';

const marketItems = itemsWith();

export const marketExport: ExportFormat = {
  info: marketInfo,
  imagePath(frame, _task, dataset) {
    const { subset, image } = marketItems(dataset).of(frame);
    return `bounding_box_${subset}/${image}`;
  },
  async write(dataset, source, sink) {
    const items = marketItems(dataset);
    requireListable(marketInfo.name, items);
    const names = new MarketNames(new LabelNames(dataset.labels));
    const paths = new Map<DatasetFrame, string>();
    for await (const item of annotatedItems(dataset, source, items)) paths.set(item.frame, names.pathOf(item));
    for (const [subset, members] of items.bySubset()) {
      const lines = members.map(({ frame }) => `${paths.get(frame) ?? ''}\n`);
      await sink.addFile(`images_${subset}.txt`, Buffer.from(lines.join('')));
    }
    return (frame) => [paths.get(frame) ?? []].flat();
  },
};

class MarketNames {
  private readonly taken = new Set<string>();
  private readonly numbers = new FreeNumbers();
  /** Of the images that get a name from their tag. */
  private count = 0;

  constructor(private readonly labels: LabelNames) {}

  pathOf(item: AnnotatedItem): string {
    const tags = item.tags.filter(({ label_id }) => this.labels.get(label_id).name === MARKET_LABEL);
    const attributes = tags.slice(0, 1).flatMap((tag) => tagAttributes(tag, this.labels));
    const folder = isTrue(attributeNamed(attributes, 'query')) ? 'query' : `bounding_box_${item.subset}`;
    const own = tags.length === 1 ? this.nameOf(item, folder, attributes) : undefined;
    const path = own ?? this.free(folder, item.id, item.image.slice(item.id.length));
    this.taken.add(path);
    return path;
  }

  /**
   * @returns undefined if the tag has no person, or the image has such a name
   * @throws FormatError if the tag has numbers that names cannot have
   */
  private nameOf(
    { id, image }: AnnotatedItem,
    folder: string,
    attributes: readonly ItemAttribute[],
  ): string | undefined {
    const person = attributeNamed(attributes, 'person_id') ?? '';
    if (person === '' || person === 0 || person === '0' || MARKET_NAME.test(posix.basename(id))) return undefined;
    const whole = (name: string, other: number): number => {
      const value = Number(attributeNamed(attributes, name) || NaN);
      return Number.isFinite(value) ? Math.trunc(value) : other;
    };
    const [camera, track] = [whole('camera_id', 0) + 1, whole('track_id', 1)];
    const box = String(whole('bbox_id', 0)).padStart(2, '0');
    const extension = image.slice(id.length);
    const wanted = whole('frame_id', this.count++);
    const series = JSON.stringify([folder, posix.dirname(id), person, camera, track, box, extension]);
    for (;;) {
      const frame = this.numbers.take(series, wanted);
      const name = `${person}_c${camera}s${track}_${String(frame).padStart(6, '0')}_${box}`;
      if (!/^-?\d+$/.test(String(person)) || !MARKET_NAME.test(name)) {
        const fault = 'The numbers of person, camera, track, frame and box must be whole numbers.';
        throw new FormatError(`Market-1501 1.0 cannot call the image ${shown(id)} ${shown(name)}. ${fault}`);
      }
      const path = posix.join(folder, posix.dirname(id), name + extension);
      if (!this.taken.has(path)) return path;
    }
  }

  /** Images of different subsets may have the same name among the queries. */
  private free(folder: string, id: string, extension: string): string {
    let path = `${folder}/${id}${extension}`;
    while (this.taken.has(path))
      path = `${folder}/${id}_${this.numbers.take(`${folder}/${id}${extension}`, 1)}${extension}`;
    return path;
  }
}

const isTrue = (value: ItemAttribute['value'] | undefined): boolean => /^(?:true|1)$/i.test(String(value ?? ''));
