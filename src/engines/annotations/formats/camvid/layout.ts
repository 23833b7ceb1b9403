import { mediaKind } from '../../../../shared/media-kind.js';
import { type DatasetFiles, type FormatInfo, refuse, shown } from '../format.js';
import { rootOf } from '../items/dataset-root.js';
import { LABEL_COLORS, type NamedColor } from '../items/label-colors.js';

export const camVidInfo: FormatInfo = {
  name: 'CamVid 1.0',
  ext: 'ZIP',
  version: '1.0',
  enabled: true,
  dimension: '2d',
};

/** The folder of the masks of a subset. */
export const masksFolder = (subset: string): string => `${subset}annot`;

/** What paths of the dataset begin with; undefined if there is no list of images or labels. */
export const camVidRoot = ({ paths }: DatasetFiles): string | undefined =>
  rootOf(paths, new RegExp(`^${LABEL_COLORS}$`)) ?? rootOf(paths, /^[^/]+\.txt$/);

/** A path in a list of images, in quotes if it has spaces. */
const word = (path: string): string => (/\s/.test(path) ? `"${path}"` : path);

/** A line of a list. @param mask undefined if the image has none */
export const listLine = (image: string, mask: string | undefined): string =>
  mask !== undefined && /\s/.test(image) ? `"${image}" "${mask}"\n` : `${word(image)} ${mask ?? ''}\n`;

const BETWEEN = /(?<=..)"\s+"(?=.+"$)/s;
const WORDS = /^(\S+)(?:\s+(\S+))?$/;

/** In characters; longer than two paths. */
export const MAX_LINE = 2 ** 14;

interface ListedImage {
  readonly image: string;
  /** Undefined if the image has none. */
  readonly mask: string | undefined;
}

/** The image and the mask of a line; undefined if it has more words. */
export function wordsOf(text: string): ListedImage | undefined {
  if (text.startsWith('"') && text.endsWith('"') && text.length > 2) {
    const between = BETWEEN.exec(text);
    if (between === null) return { image: text.slice(1, -1), mask: undefined };
    return { image: text.slice(1, between.index), mask: text.slice(between.index + between[0].length, -1) };
  }
  const [, image, mask] = WORDS.exec(text) ?? [];
  return image === undefined ? undefined : { image, mask };
}

/** The image and the mask of a line. @throws FormatError */
export function parseLine(text: string, location: string): ListedImage {
  const found = wordsOf(text);
  if (found === undefined || (found.mask === undefined && mediaKind(found.image) !== 'image'))
    refuse(location, `${shown(text)} is not an image with its mask`);
  return found;
}

/** The classes of the original dataset, for archives without a label map. */
export const CAMVID_LABELS: readonly NamedColor[] = [
  { name: 'Void', color: [0, 0, 0] },
  { name: 'Animal', color: [64, 128, 64] },
  { name: 'Archway', color: [192, 0, 128] },
  { name: 'Bicyclist', color: [0, 128, 192] },
  { name: 'Bridge', color: [0, 128, 64] },
  { name: 'Building', color: [128, 0, 0] },
  { name: 'Car', color: [64, 0, 128] },
  { name: 'CartLuggagePram', color: [64, 0, 192] },
  { name: 'Child', color: [192, 128, 64] },
  { name: 'Column_Pole', color: [192, 192, 128] },
  { name: 'Fence', color: [64, 64, 128] },
  { name: 'LaneMkgsDriv', color: [128, 0, 192] },
  { name: 'LaneMkgsNonDriv', color: [192, 0, 64] },
  { name: 'Misc_Text', color: [128, 128, 64] },
  { name: 'MotorcycycleScooter', color: [192, 0, 192] },
  { name: 'OtherMoving', color: [128, 64, 64] },
  { name: 'ParkingBlock', color: [64, 192, 128] },
  { name: 'Pedestrian', color: [64, 64, 0] },
  { name: 'Road', color: [128, 64, 128] },
  { name: 'RoadShoulder', color: [128, 128, 192] },
  { name: 'Sidewalk', color: [0, 0, 192] },
  { name: 'SignSymbol', color: [192, 128, 128] },
  { name: 'Sky', color: [128, 128, 128] },
  { name: 'SUVPickupTruck', color: [64, 128, 192] },
  { name: 'TrafficCone', color: [0, 0, 64] },
  { name: 'TrafficLight', color: [0, 64, 64] },
  { name: 'Train', color: [192, 64, 128] },
  { name: 'Tree', color: [128, 128, 0] },
  { name: 'Truck_Bus', color: [192, 128, 192] },
  { name: 'Tunnel', color: [64, 0, 64] },
  { name: 'VegetationMisc', color: [192, 192, 0] },
  { name: 'Wall', color: [64, 192, 0] },
];
