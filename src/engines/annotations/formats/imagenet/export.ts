import { type DatasetFrame, folderName } from '../dataset.js';
import { type ExportFormat, FormatError } from '../format.js';
import { labelPositions } from '../items/attributes.js';
import { type AnnotatedItem, annotatedItems, itemsWith, subsetParts } from '../items/items.js';
import { requireFolders, requireListable, requireListableLabels } from '../items/names.js';
import { LabelNames } from '../label-names.js';
import { inPieces } from '../text-pieces.js';
import { imageNetInfo, LABELS_FILE, NO_LABEL } from './layout.js';

/** Lists of images have one file for each subset. */
const listedItems = itemsWith();
/** The folders of labels have the images of all subsets. */
const sortedItems = itemsWith(() => () => '');

export const imageNetExport: ExportFormat = {
  info: imageNetInfo,
  imagePath: (frame, _task, dataset) => `${NO_LABEL}/${sortedItems(dataset).of(frame).image}`,
  async write(dataset, source, sink, { withImages }) {
    const positions = labelPositions(dataset.labels);
    if (withImages) {
      requireFolders(imageNetInfo.name, dataset.labels, NO_LABEL);
      const labels = new LabelNames(dataset.labels);
      const paths = new Map<DatasetFrame, string[]>();
      for await (const item of annotatedItems(dataset, source, sortedItems(dataset))) {
        const folders = labelsOf(item, positions).map((id) => folderName(labels.get(id).name));
        const own = folders.length === 0 ? [NO_LABEL] : [...new Set(folders)];
        paths.set(item.frame, own.map((folder) => `${folder}/${item.image}`)); // prettier-ignore
      }
      return (frame) => paths.get(frame) ?? [];
    }
    await sink.addFile(LABELS_FILE, Buffer.from(dataset.labels.map(({ name }) => `${name}\n`).join('')));
    const items = listedItems(dataset);
    requireListable(imageNetInfo.name, items);
    requireListableLabels(imageNetInfo.name, dataset.labels);
    for (const { subset, dataset: part } of subsetParts(dataset, items)) {
      if (`${subset}.txt` === LABELS_FILE) throw new FormatError(`ImageNet has no subset called '${subset}'.`);
      const lines = async function* (): AsyncGenerator<string> {
        for await (const item of annotatedItems(part, source, items)) {
          const numbers = labelsOf(item, positions).map((id) => positions.get(id));
          yield `${listedName(item)} ${numbers.join(' ')}\n`;
        }
      };
      await sink.addFile(`${subset}.txt`, inPieces(lines()));
    }
  },
};

/** The different labels of the tags, in the order of the dataset. */
const labelsOf = ({ tags }: AnnotatedItem, positions: ReadonlyMap<number, number>): number[] =>
  [...new Set(tags.map(({ label_id }) => label_id))].toSorted(
    (a, b) => (positions.get(a) ?? 0) - (positions.get(b) ?? 0),
  );

/** Names with spaces are in quotes, with the extension after them, as are names that begin with a quote. */
const listedName = ({ id, image }: AnnotatedItem): string =>
  /\s|^"/.test(id) ? `"${id}"${image.slice(id.length)}` : image;
