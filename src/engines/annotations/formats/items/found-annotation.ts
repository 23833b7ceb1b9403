import type { AttributeValue, ShapeType } from '../../../../shared/annotations/model.js';
import type { DatasetLabel } from '../dataset.js';
import { type FileLocation, refuse, shown } from '../format.js';
import { attributeOf, attributeValues, BUILT_IN } from '../label-names.js';
import type { RunBitmap } from '../../run-bitmap.js';

/** An annotation as read from a file. */
export interface FoundAnnotation {
  /** `pixels` become a mask or, if the import asks for it, polygons. */
  readonly type: ShapeType | 'tag' | 'pixels';
  readonly label: DatasetLabel;
  readonly points?: readonly number[];
  /** Only for `pixels`. */
  readonly bitmap?: RunBitmap;
  /** Names and values; `occluded`, `rotation`, `track_id` and the like set the fields of the annotation. */
  readonly attributes?: Iterable<readonly [name: string, value: string]>;
  /** Annotations of a frame with the same number belong together; 0 and absent mean none. */
  readonly group?: number;
  readonly zOrder?: number;
  readonly occluded?: boolean;
  readonly rotation?: number;
  readonly elements?: readonly FoundElement[];
  /** Number of the track that the shape belongs to. */
  readonly track?: number;
  readonly keyframe?: boolean;
  /** For messages. */
  readonly location: FileLocation;
}

/** An element of a skeleton. */
export interface FoundElement {
  readonly label: DatasetLabel;
  readonly points: readonly number[];
  readonly occluded: boolean;
  readonly outside: boolean;
  readonly attributes?: Iterable<readonly [name: string, value: string]>;
}

const SOURCES = new Set(['manual', 'semi-auto', 'auto', 'file']);

/** The fields of an annotation that files store as attributes, and the values of its other attributes. */
export class AnnotationFields {
  readonly values: AttributeValue[];
  occluded: boolean;
  rotation: number;
  track: number | undefined;
  keyframe: boolean | undefined;
  source: string | undefined;

  constructor(found: FoundAnnotation, implied: ReadonlySet<string>) {
    this.occluded = found.occluded ?? false;
    this.rotation = found.rotation ?? 0;
    this.track = found.track;
    this.keyframe = found.keyframe;
    const own = [...(found.attributes ?? [])];
    for (const [name, value] of own) if (BUILT_IN.has(name)) this.read(name, value, found.location);
    const noted = implied.size === 0 ? own : own.filter(([name]) => !implied.has(name) || has(found.label, name));
    this.values = itemAttributes(found.label, noted, found.location);
  }

  private read(name: string, value: string, location: FileLocation): void {
    if (name === 'occluded') this.occluded = isTrue(value);
    else if (name === 'keyframe') this.keyframe = isTrue(value);
    else if (name === 'source' && SOURCES.has(value)) this.source = value;
    else if (name === 'rotation') this.rotation = numberOf(name, value, location);
    else if (name === 'track_id') this.track = numberOf(name, value, location);
  }
}

const has = (label: DatasetLabel, attribute: string): boolean => attributeOf(label, attribute) !== undefined;

const isTrue = (value: string): boolean => value === '1' || value.toLowerCase() === 'true';

function numberOf(name: string, value: string, location: FileLocation): number {
  const number = value.trim() === '' ? NaN : Number(value);
  return Number.isFinite(number) ? number : refuse(location, `${name} ${shown(value)} is not a number`);
}

function valueOf(name: string, value: string, type: string | undefined, location: FileLocation): string {
  if (type === 'number') return value.replace(/^(-?\d+)\.0$/, '$1');
  if (type !== 'checkbox') return value;
  if (/^(?:true|false)$/i.test(value)) return value.toLowerCase();
  return refuse(location, `Failed to convert attribute ${shown(name)}=${shown(value)}: it is neither true nor false`);
}

/**
 * The values of the label's attributes: those of checkboxes in lower case, whole numbers without the `.0` that files
 * have.
 * @throws FormatError if the value of a checkbox is neither true nor false
 */
export function itemAttributes(
  label: DatasetLabel,
  values: Iterable<readonly [name: string, value: string]>,
  location: FileLocation,
): AttributeValue[] {
  const own: [string, string][] = [];
  for (const [name, value] of values) {
    if (BUILT_IN.has(name)) continue;
    const type = attributeOf(label, name)?.inputType;
    own.push([name, valueOf(name, value, type, location)]);
  }
  return attributeValues(label, own, location);
}
