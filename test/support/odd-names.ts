import fc from 'fast-check';

/** Where files of some format put something else than a name. */
const PIECES = [...' \t\n#"\',:;=%|()10-_aé汽🚗&<\u00A0\u2028\u0085', ', "', '" "', '  ', 'a.b', 'a/b', 'true', 'null'];

const WORDS = [
  ' a', 'a ', ' a ', '#a', '# a', '#', '"', '"a"', "'a'", 'a:b', ':', 'a,b', ', ', 'a, "b"', 'a" "b', 'a b', 'a  b', 'a=b', 'a|b',
  'true', 'null', 'no', '~', '1', '007', '1.5', '1e3', '-1', '-', '- a', '? a', '*a', '&a', '!a', '@a', '%a', '`a`', '{a}', '[a]', '> a',
  'a: b', 'a #b', '<b>&amp;', ']]>', '100%', '%20', 'constructor', '__proto__', 'no_label', 'default', '0--a', '0 1 2', '5 5 5 5',
  'a\tb', '\ta', 'a\nb', 'a\r\nb', 'a\u2028b', 'a\u0085b', '\u00A0a', 'e\u0301', 'é汽🚗', 'a/b', 'a\\b', '..', 'é汽'.repeat(30),
]; // prettier-ignore

const texts = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join('')),
);

/** Values of attributes. */
export const oddValues: fc.Arbitrary<string> = fc.oneof(texts, fc.constant(''));

/** Names as the API accepts them: without spaces around them. */
export const oddLabels: fc.Arbitrary<string> = texts.map((text) => text.trim()).filter((text) => text !== '');

const stems = texts.map((text) => text.replaceAll(/[/\\.]/g, '')).filter((text) => text !== '');

/** Different paths of images, many of which differ only in the spaces around their names. */
export function oddImages(count: number, is3d: boolean): fc.Arbitrary<string[]> {
  const [folders, extension] = is3d ? [[''], 'pcd'] : [['', 'a/', ' a /'], 'jpg'];
  const path = fc.tuple(fc.constantFrom(...folders), stems).map(([folder, stem]) => `${folder}${stem}.${extension}`);
  return fc.uniqueArray(path, { minLength: count, maxLength: count });
}

const LINE_BREAK = /[\r\n]/;

/** Names that the files of a format cannot have, so that exports fail. Documented in docs/formats.md. */
export const IMPOSSIBLE_IMAGES: Readonly<Record<string, RegExp>> = {
  'CamVid 1.0': /[\r\n]|"\s+"/,
  'ICDAR Recognition 1.0': /[\r\n]|,\s+"/,
  'ImageNet 1.0': LINE_BREAK,
  'LFW 1.0': /[\r\n\t]/,
  'Market-1501 1.0': LINE_BREAK,
  'PASCAL VOC 1.1': LINE_BREAK,
  'Segmentation mask 1.1': LINE_BREAK,
  'Kitti Raw Format 1.0': LINE_BREAK,
  'WiderFace 1.0': LINE_BREAK,
  'YOLO 1.1': LINE_BREAK,
  'Ultralytics YOLO Detection 1.0': LINE_BREAK,
  'Ultralytics YOLO Oriented Bounding Boxes 1.0': LINE_BREAK,
  'Ultralytics YOLO Segmentation 1.0': LINE_BREAK,
  'Ultralytics YOLO Pose 1.0': LINE_BREAK,
};

/** As {@link IMPOSSIBLE_IMAGES}, for labels. */
export const IMPOSSIBLE_LABELS: Readonly<Record<string, RegExp>> = {
  'CamVid 1.0': LINE_BREAK,
  'Cityscapes 1.0': LINE_BREAK,
  'ImageNet 1.0': LINE_BREAK,
  'KITTI 1.0': LINE_BREAK,
  'LFW 1.0': /^-$/,
  'Segmentation mask 1.1': LINE_BREAK,
  'MOT 1.1': LINE_BREAK,
  'MOTS PNG 1.0': LINE_BREAK,
  'PASCAL VOC 1.1': LINE_BREAK,
  'VGGFace2 1.0': /[\r\n]|^no_label$/,
  'WiderFace 1.0': LINE_BREAK,
  'YOLO 1.1': LINE_BREAK,
};

/** A value of an attribute after an export and an import. Documented in docs/formats.md. */
export const textAfter = (format: string, value: string): string =>
  format.startsWith('ICDAR') ? value.replaceAll(/[\r\n]+/g, ' ') : value;
