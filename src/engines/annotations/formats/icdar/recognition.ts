import { posix } from 'node:path';
import { mediaKind } from '../../../../shared/media-kind.js';
import {
  type DatasetFiles,
  datasetNotFound,
  type ExportFormat,
  type ImportFormat,
  type ImportTarget,
  refuse,
  shown,
} from '../format.js';
import { firstLine } from '../archive-sample.js';
import { isOtherSubset } from '../import-notes.js';
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

const LISTED = /^(.+?),(?:\s+".*"?|\s*)$/;

export const recognitionImport: ImportFormat = {
  info,
  async recognize(sample) {
    const isListed = (line: string): boolean => mediaKind(LISTED.exec(line.trim())?.[1] ?? '') === 'image';
    return (await sample.some(/\.txt$/i, (text) => isListed(firstLine(text)))) ? 3 : 0;
  },
  imageAt,
  async labels(files) {
    const found = new FoundLabels();
    found.add(ICDAR_LABEL);
    for await (const { text } of captionsIn(files)) found.addAttribute(ICDAR_LABEL, TEXT, text);
    return found.list();
  },
  async *read(files, target) {
    const items = new ItemImport(target);
    for await (const { image, text, location } of captionsIn(files, target)) {
      const label = items.labels.named(ICDAR_LABEL, location);
      yield* items.add(items.frames.named(image, location), [
        { type: 'tag', label, attributes: [[TEXT, text]], location },
      ]);
    }
    yield* items.finish();
  },
};

interface Caption {
  readonly image: string;
  readonly text: string;
  readonly location: string;
}

/** An image, possibly with a comma: it has no text. */
const isWithoutText = (line: string): boolean => mediaKind(line.trim().replace(/,\s*$/, '')) === 'image';

/** The images that have a text. Images without one are listed, too. */
async function* captionsIn(files: DatasetFiles, target?: ImportTarget): AsyncGenerator<Caption> {
  const lists = files.paths.filter((path) => /^(?:[^/]+\/){0,4}[^/]+\.txt$/i.test(path) && imageAt(path) === undefined);
  if (lists.length === 0) throw datasetNotFound(['*.txt']);
  for (const path of lists) {
    const folder = posix.basename(posix.dirname(path));
    if (isOtherSubset(folder === '.' ? 'default' : folder, path, target)) continue;
    for await (const { line, location } of readLines(files.read(path), path)) {
      const [, image, text, end] = /^(.+?),\s+"(.*?)("?)$/s.exec(line.trimEnd()) ?? [];
      if (image === undefined || text === undefined) {
        if (!isWithoutText(line)) target?.notes?.skip('annotation', shown(line.trim()), location, 'the text is not in quotes'); // prettier-ignore
        continue;
      }
      if (end === '') refuse(location, `the text of ${shown(image)} has no closing quote`);
      yield { image, text: text.replaceAll(/\\(.?)/g, '$1'), location };
    }
  }
}
