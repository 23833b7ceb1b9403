import { isCoordinate, SHAPE_TYPES, type ShapeType } from '../../shared/annotations/model.js';

/** A response of a function that is not what the contract says. The message is a sentence without a full stop. */
export class ResponseInvalid extends Error {
  override readonly name = 'ResponseInvalid';
}

/** Maximum number of objects on one frame. */
export const MAX_ITEMS = 20_000;
/** Maximum number of coordinates of one object. */
const MAX_COORDINATES = 1_000_000;
/** Maximum number of pixels of one mask. */
const MAX_PIXELS = 100_000_000;
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One object of a response. Its readers throw ResponseInvalid. */
export class ResponseItem {
  readonly raw: Readonly<Record<string, unknown>>;

  /** @param what names it in errors */
  constructor(
    raw: unknown,
    readonly what: string,
  ) {
    if (!isObject(raw)) throw new ResponseInvalid(`${what} must be a JSON object`);
    this.raw = raw;
  }

  text(key: string): string {
    const value = this.raw[key];
    if (typeof value !== 'string') throw new ResponseInvalid(`${this.what}: ${key} must be a string`);
    return value;
  }

  type(fallback?: ShapeType): ShapeType {
    const value = this.raw['type'] ?? fallback;
    const found = SHAPE_TYPES.find((known) => known === value);
    if (found === undefined) throw new ResponseInvalid(`${this.what}: type must be tag or a type of shapes`);
    return found;
  }

  numbers(key: string): number[] {
    const value = this.raw[key];
    if (!Array.isArray(value)) throw new ResponseInvalid(`${this.what}: ${key} must be a list of numbers`);
    if (value.length > (key === 'mask' ? MAX_PIXELS : MAX_COORDINATES))
      throw new ResponseInvalid(`${this.what}: ${key} is too long`);
    if (!value.every(isCoordinate)) throw new ResponseInvalid(`${this.what}: ${key} must be a list of numbers`);
    return value;
  }

  list(key: string): ResponseItem[] {
    const value = this.raw[key];
    if (!Array.isArray(value)) throw new ResponseInvalid(`${this.what}: ${key} must be a list`);
    if (value.length > MAX_ITEMS) throw new ResponseInvalid(`${this.what}: ${key} is too long`);
    return (value as unknown[]).map((entry, at) => new ResponseItem(entry, `${this.what}, element ${at}`));
  }

  flag(key: string): boolean {
    const value = this.raw[key];
    return value === true || value === 1;
  }

  group(): number | null {
    const value = this.raw['group_id'];
    return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 2 ** 31 ? value : null;
  }

  /** Degrees, 0 to 360. */
  rotation(): number {
    const value = this.raw['rotation'];
    return isCoordinate(value) ? ((value % 360) + 360) % 360 : 0;
  }

  /** The confidence, which functions also send as text. Default: 1. */
  score(): number {
    const value = this.raw['confidence'];
    const score = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof score === 'number' && score >= 0 && score <= 1 ? score : 1;
  }
}
