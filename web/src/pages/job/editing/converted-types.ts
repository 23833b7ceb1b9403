import type { ShapeType } from '#shared/annotations/model';

/** The types that shapes can be converted to. */
export const CONVERTED_TYPES = ['polygon', 'mask', 'rectangle'] as const;
export type ConvertedType = (typeof CONVERTED_TYPES)[number];

/** The types of shapes that can be converted: those with an area. */
export const CONVERTIBLE_TYPES = ['polygon', 'mask', 'rectangle', 'ellipse'] as const satisfies readonly ShapeType[];

export const isConvertible = (from: string, to: ConvertedType): boolean =>
  from !== to && CONVERTIBLE_TYPES.some((type) => type === from);
