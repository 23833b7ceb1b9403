import type { FrameShape } from '../annotated-frames.js';
import type { Dataset } from '../dataset.js';
import type { ExportFormat } from '../format.js';
import { attributeNamed, labelPositions, shapeAttributes } from '../items/attributes.js';
import { annotatedItems, type DatasetItem, decimalText, itemsWith, twoDecimals } from '../items/items.js';
import { requireListableLabels } from '../items/names.js';
import { LabelNames } from '../label-names.js';
import { decimal } from '../../decimal.js';
import { inPieces } from '../text-pieces.js';
import { frameNumbers } from './frame-numbers.js';

/** The format has no subsets: the frames of all tasks are one sequence. */
const motItems = itemsWith(() => () => '');

export const motExport: ExportFormat = {
  info: { name: 'MOT 1.1', ext: 'ZIP', version: '1.1', enabled: true, dimension: '2d' },
  imagePath: (frame, _task, dataset) => `img1/${motItems(dataset).of(frame).image}`,
  async write(dataset, source, sink) {
    requireListableLabels(motExport.info.name, dataset.labels);
    const items = motItems(dataset);
    const rows = new MotRows(dataset, frameNumbers(items.all.map(({ id }) => id)));
    const text = async function* (): AsyncGenerator<string> {
      for await (const item of annotatedItems(dataset, source, items)) {
        for (const shape of item.shapes) if (shape.type === 'rectangle') yield rows.of(shape, item);
      }
    };
    await sink.addFile('gt/gt.txt', inPieces(text()));
    await sink.addFile('gt/labels.txt', Buffer.from(dataset.labels.map(({ name }) => name).join('\n')));
  },
};

const SINGLE = -1;

class MotRows {
  private readonly labels: LabelNames;
  private readonly classes: ReadonlyMap<number, number>;
  private readonly tracks = new Map<number, number>();

  /** @param numbers of the frames */
  constructor(
    { labels }: Dataset,
    private readonly numbers: readonly string[],
  ) {
    this.labels = new LabelNames(labels);
    this.classes = labelPositions(labels);
  }

  of(shape: FrameShape, item: DatasetItem): string {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = shape.points;
    const attributes = shapeAttributes(shape, this.labels);
    const row = [
      this.numbers[item.index] ?? '',
      this.track(shape),
      ...[x1, y1, x2 - x1, y2 - y1].map((value) => decimalText(twoDecimals(value))),
      attributeNamed(attributes, 'ignored') === true ? 0 : 1,
      (this.classes.get(shape.label_id) ?? 0) + 1,
      decimalText(visibilityOf(attributeNamed(attributes, 'visibility'), shape)),
    ];
    return `${row.join(',')}\r\n`;
  }

  /** Tracks are numbered from 1 in the order in which they appear. */
  private track({ track }: FrameShape): number {
    if (track === undefined) return SINGLE;
    const number = this.tracks.get(track) ?? this.tracks.size + 1;
    this.tracks.set(track, number);
    return number;
  }
}

function visibilityOf(value: string | number | boolean | undefined, { occluded }: FrameShape): number {
  const visibility = typeof value === 'number' ? value : decimal(String(value ?? ''));
  if (Number.isFinite(visibility)) return visibility;
  return occluded ? 0 : 1;
}
