import { posix } from 'node:path';
import { type DatasetFiles, datasetNotFound, type ExportFormat, type ImportFormat, refuse, shown } from '../format.js';
import { shapeAttributes, tagAttributes } from '../items/attributes.js';
import { ItemImport } from '../items/item-import.js';
import { type AnnotatedItem, annotatedItems, subsetParts } from '../items/items.js';
import { requireListable } from '../items/names.js';
import { FoundLabels, LabelNames } from '../label-names.js';
import { inPieces, readLines } from '../text-pieces.js';
import { ICDAR_LABEL, icdarInfo, icdarItems, imageAt, imagePath, TEXT, textIn } from './layout.js';

const info = icdarInfo('Recognition');

/** Text and image are separated by a comma, and only the text is in quotes. */
const OTHER_SEPARATOR = { pattern: /,\s+"/, what: 'a comma before a quote' };

/** A file for each subset, with an image and the texts in it on each line. */
export const recognitionExport: ExportFormat = {
  info,
  imagePath,
  async write(dataset, source, sink) {
    const items = icdarItems(dataset);
    requireListable(info.name, items, OTHER_SEPARATOR);
    const labels = new LabelNames(dataset.labels);
    for (const { subset, dataset: part } of subsetParts(dataset, items)) {
      const lines = async function* (): AsyncGenerator<string> {
        for await (const item of annotatedItems(part, source, items))
          yield `${item.image}, ${captions(item, labels)}\n`;
      };
      await sink.addFile(`${subset}/gt.txt`, inPieces(lines()));
    }
  },
};

/** The texts of everything on an image, in quotes. */
function captions({ tags, shapes }: AnnotatedItem, labels: LabelNames): string {
  const attributes = [
    ...tags.map((tag) => tagAttributes(tag, labels)),
    ...shapes.map((shape) => shapeAttributes(shape, labels)),
  ];
  const texts = attributes.flatMap((each) => textIn(each) ?? []);
  return texts.map((text) => `"${text.replaceAll('\\', '\\\\')}"`).join('');
}

export const recognitionImport: ImportFormat = {
  info,
  imageAt,
  async labels(files) {
    const found = new FoundLabels();
    found.add(ICDAR_LABEL);
    for await (const { text } of captionsIn(files)) found.addAttribute(ICDAR_LABEL, TEXT, text);
    return found.list();
  },
  async *read(files, target) {
    const items = new ItemImport(target);
    for await (const { subset, image, text, location } of captionsIn(files)) {
      if (target.subset !== undefined && target.subset !== subset) continue;
      const label = items.labels.named(ICDAR_LABEL, location);
      yield* items.add(items.frames.named(image, location), [
        { type: 'tag', label, attributes: [[TEXT, text]], location },
      ]);
    }
    yield* items.finish();
  },
};

interface Caption {
  readonly subset: string;
  readonly image: string;
  readonly text: string;
  readonly location: string;
}

/** The images that have a text. Images without one are listed, too. */
async function* captionsIn(files: DatasetFiles): AsyncGenerator<Caption> {
  const lists = files.paths.filter((path) => /^(?:[^/]+\/){0,4}[^/]+\.txt$/i.test(path) && imageAt(path) === undefined);
  if (lists.length === 0) throw datasetNotFound('Dataset must contain a file: "*.txt"');
  for (const path of lists) {
    const folder = posix.basename(posix.dirname(path));
    for await (const { line, location } of readLines(files.read(path), path)) {
      const [, image, text, end] = /^(.+?),\s+"(.*?)("?)$/s.exec(line.trimEnd()) ?? [];
      if (image === undefined || text === undefined) continue;
      if (end === '') refuse(location, `the text of ${shown(image)} has no closing quote`);
      yield { subset: folder === '.' ? 'default' : folder, image, text: text.replaceAll(/\\(.?)/g, '$1'), location };
    }
  }
}
