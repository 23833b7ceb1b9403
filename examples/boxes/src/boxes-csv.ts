import {
  annotatedFrames,
  type AnnotationSource,
  type Dataset,
  type DatasetFiles,
  decimal,
  decodeText,
  type ExportFormat,
  fileShape,
  FormatError,
  FrameMatcher,
  ImportBatch,
  type ImportFormat,
  type ImportTarget,
  inPieces,
  isOtherSubset,
  type LabeledData,
  LabelNames,
  type FileLocation,
  refuse,
  type Shape,
  shown,
  subsetFolder,
} from 'cairn/extension';

const COLUMNS = ['subset', 'image', 'label', 'x1', 'y1', 'x2', 'y2', 'rotation'];
const INFO = { name: 'Boxes CSV 1.0', version: '1.0', enabled: true, dimension: '2d' } as const;

/** One row per rectangle (corners in pixels, rotation in degrees). Other shapes are left out. */
export const boxesExport: ExportFormat = {
  info: { ...INFO, ext: 'ZIP' },
  imagePath: (frame, task) => `images/${subsetFolder(task)}/${frame.name}`,
  write: (dataset, source, sink) => sink.addFile('boxes.csv', inPieces(rows(dataset, source))),
};

async function* rows(dataset: Dataset, source: AnnotationSource): AsyncGenerator<string> {
  const labels = new LabelNames(dataset.labels);
  yield row(COLUMNS);
  for await (const { task, frame, shapes } of annotatedFrames(dataset, source)) {
    for (const { type, label_id: label, points, rotation } of shapes) {
      if (type === 'rectangle')
        yield row([subsetFolder(task), frame.name, labels.get(label).name, ...points, rotation]);
    }
  }
}

/** Quotes values as in RFC 4180, and puts each name on one line. */
const row = (values: readonly (string | number)[]): string => `${values.map(field).join(',')}\r\n`;

function field(value: string | number): string {
  const text = String(value).replaceAll(/[\r\n]/g, ' ');
  return /[",]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Reads the first `.csv` file of an archive, or a single uploaded file. */
export const boxesImport: ImportFormat = {
  info: { ...INFO, ext: 'CSV, ZIP' },
  recognize: async (sample) => ((await sample.some(/\.csv$/i, (text) => text.startsWith(COLUMNS.join()))) ? 3 : 0),
  imageAt(path) {
    const [, subset, name] = /^(?:.*\/)?images\/([^/]+)\/(.+)$/.exec(path) ?? [];
    return subset === undefined || name === undefined ? undefined : { subset, name };
  },
  async *read(files, target) {
    const path = files.paths.find((each) => /\.csv$/i.test(each));
    if (path === undefined) throw new FormatError('The archive holds no .csv file.');
    yield* boxes(files, path, target);
  },
};

async function* boxes(files: DatasetFiles, path: string, target: ImportTarget): AsyncGenerator<LabeledData> {
  const [labels, frames, batch] = [new LabelNames(target.labels), new FrameMatcher(target), new ImportBatch()];
  let number = 0;
  for await (const line of lines(decodeText(files.read(path), path), path)) {
    const location = `${path}, line ${(number += 1)}`;
    const values = fields(line, location);
    if (number === 1) requireHeader(values, location);
    if (number === 1 || line === '') continue;
    const [subset = '', image = '', label = '', ...numbers] = values;
    if (isOtherSubset(subset, path, target)) continue;
    const { frame } = frames.named(image, location);
    batch.addShape(boxOf(numbers, frame, labels.named(label, location).id, location), location);
    if (batch.isFull) yield batch.take();
  }
  if (!batch.isEmpty) yield batch.take();
}

/** In characters. */
const MAX_LINE = 100_000;

async function* lines(text: AsyncIterable<string>, path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of text) {
    const parts = (rest + piece).split('\n');
    rest = parts.pop() ?? '';
    if (rest.length > MAX_LINE) refuse(path, `a line is longer than ${MAX_LINE} characters`);
    for (const part of parts) yield part.replace(/\r$/, '');
  }
  yield rest;
}

function fields(line: string, location: FileLocation): string[] {
  const found: string[] = [];
  const one = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  for (;;) {
    const [, quoted, plain, end] = one.exec(line) ?? refuse(location, `${shown(line)} is not a line of CSV`);
    found.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '') return found;
  }
}

function requireHeader(values: readonly string[], location: FileLocation): void {
  if (values.join() !== COLUMNS.join()) refuse(location, `the columns are not ${COLUMNS.join()}`);
}

function boxOf(texts: readonly string[], frame: number, label_id: number, location: FileLocation): Shape {
  const numbers = texts.map(decimal);
  const [x1 = NaN, y1 = NaN, x2 = NaN, y2 = NaN, rotation = NaN] = numbers;
  if (numbers.length !== 5 || numbers.some((value) => !Number.isFinite(value)))
    refuse(location, `${shown(texts.join())} is not the five numbers of a box`);
  return fileShape({ label_id, frame, points: [x1, y1, x2, y2], rotation });
}
