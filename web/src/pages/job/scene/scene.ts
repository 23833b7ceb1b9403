import type { ShapeType } from '#shared/annotations/model';
import type { Bounds, Drawing } from './drawing';

export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** An attribute of an object. */
export interface SceneAttribute extends NamedValue {
  readonly id: number;
}

/** One annotation on one frame, as the list and the canvas show it. */
export interface SceneObject {
  /** The same on every frame. */
  readonly key: string;
  readonly kind: 'tag' | 'shape' | 'track';
  /** 0 until it is saved. */
  readonly id: number;
  readonly type: ShapeType | 'tag';
  readonly labelId: number;
  readonly labelName: string;
  readonly labelColor: string;
  /** 0 for none. */
  readonly group: number;
  readonly source: string;
  /** Confidence of the source, 0 to 1. */
  readonly score: number;
  readonly occluded: boolean;
  /** Whether a track is outside the frame and not drawn. */
  readonly outside: boolean;
  readonly zOrder: number;
  /** Degrees clockwise. */
  readonly rotation: number;
  readonly attributes: readonly SceneAttribute[];
  readonly elements: readonly SceneElement[];
  /** Keyframes of a track in ascending order. Empty for other objects. */
  readonly keyframes: readonly number[];
  readonly drawings: readonly Drawing[];
  readonly bounds: Bounds | undefined;
  /** The stored points of the shape; for a skeleton, those of its elements. Empty for tags. */
  readonly points: readonly number[];
}

/** An element of a skeleton. */
export interface SceneElement {
  readonly labelName: string;
  readonly occluded: boolean;
  readonly outside: boolean;
  readonly attributes: readonly NamedValue[];
}

export type ColorBy = 'label' | 'object' | 'group';

const NO_GROUP = '#9aa5b1';

/** Colours by what has them: a label, an object or a group. */
export type Colors = ReadonlyMap<string, string>;

/** @returns what has the colour of an object; undefined for objects without a group */
function ownerOf(object: SceneObject, by: ColorBy): string | undefined {
  if (by === 'label') return `label ${object.labelId}`;
  if (by === 'object') return `object ${object.key}`;
  return object.group === 0 ? undefined : `group ${object.group}`;
}

/** @returns the colours after the next one of the palette is given to the labels, objects or groups of objects */
export function recolored(colors: Colors, objects: readonly SceneObject[], by: ColorBy): Colors {
  const changed = new Map(colors);
  for (const object of objects) {
    const owner = ownerOf(object, by);
    // Several objects can have the same label or group, which changes once.
    if (owner !== undefined && changed.get(owner) === colors.get(owner)) {
      const at = PALETTE.indexOf(colorOf(object, by, colors));
      changed.set(owner, PALETTE[(at + 1) % PALETTE.length] ?? NO_GROUP);
    }
  }
  return changed;
}

/** @returns a colour as `#rrggbb` */
export function colorOf(object: SceneObject, by: ColorBy, colors: Colors): string {
  const own = colors.get(ownerOf(object, by) ?? '');
  if (own !== undefined) return own;
  if (by === 'label') return object.labelColor;
  if (by === 'group') return object.group === 0 ? NO_GROUP : distinctColor(object.group);
  return distinctColor(numberOf(object) + (object.kind === 'track' ? 7 : 0));
}

/** The id of an object. One that was drawn since the job was opened keeps its number when a save gives it an id. */
function numberOf({ key, id }: Pick<SceneObject, 'key' | 'id'>): number {
  if (!key.includes(NEW_KEY)) return id;
  return [...key].reduce((hash, character) => (hash * 31 + character.charCodeAt(0)) % MANY, 0);
}

const MANY = 1_000_003;

/** In the keys of objects that were drawn since the job was opened. */
export const NEW_KEY = ':new-';

const PALETTE: readonly string[] = Array.from({ length: 12 }, (_, number) => distinctColor(number));

/** Assigns distinct colours to consecutive numbers: hues in steps of the golden angle, in three lightness values. */
export function distinctColor(number: number): string {
  const hue = (number * 137.508) % 360;
  const lightness = [0.62, 0.72, 0.54][number % 3] ?? 0.62;
  return fromHsl(hue, 0.78, lightness);
}

/** Converts HSL to RGB by the standard formula. Hue is in degrees, the others are 0 to 1. */
function fromHsl(hue: number, saturation: number, lightness: number): string {
  const chroma = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number): string => {
    const turn = (offset + hue / 30) % 12;
    const value = lightness - chroma * Math.max(-1, Math.min(turn - 3, 9 - turn, 1));
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}

const COLOR = /^#([0-9a-f]{6})$/i;
const SHORT_COLOR = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i;

/** Label colours are free text in the API. @returns `#rrggbb`, grey for an invalid colour */
export function cleanColor(text: string): string {
  if (COLOR.test(text)) return text.toLowerCase();
  const [, red, green, blue] = SHORT_COLOR.exec(text) ?? [];
  if (red === undefined || green === undefined || blue === undefined) return NO_GROUP;
  return `#${red}${red}${green}${green}${blue}${blue}`.toLowerCase();
}
