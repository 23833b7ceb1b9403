/** Interpretation of pixel values (ITU-T H.273). Properties that the video does not declare are absent. */
export interface VideoColours {
  readonly matrix?: string;
  readonly primaries?: string;
  readonly transfer?: string;
  /** Whether luminance uses the full range of 0 to 255. */
  readonly full?: boolean;
}

/** Values as named by ffprobe. */
export interface ProbedColours {
  readonly color_range?: string;
  readonly color_space?: string;
  readonly color_transfer?: string;
  readonly color_primaries?: string;
}

/**
 * MatrixCoefficients (ITU-T H.273, table 4), as named by ffmpeg. RGB is absent, because it is first converted to YCbCr.
 */
export const MATRIX_COEFFICIENTS: Readonly<Record<string, number>> = {
  bt709: 1,
  fcc: 4,
  bt470bg: 5,
  smpte170m: 6,
  smpte240m: 7,
  bt2020nc: 9,
  bt2020c: 10,
};

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
/** From the same standard. */
const PRIMARIES = words('bt709 bt470m bt470bg smpte170m smpte240m film bt2020 smpte431 smpte432');
const TRANSFERS = words('bt709 smpte170m smpte240m linear iec61966-2-1 bt2020-10 bt2020-12 smpte2084 arib-std-b67');

/** Returns only the known values. */
export function coloursOf(found: ProbedColours): VideoColours {
  const { color_range: range, color_space: matrix, color_primaries: primaries, color_transfer: transfer } = found;
  return {
    ...(matrix !== undefined && Object.hasOwn(MATRIX_COEFFICIENTS, matrix) ? { matrix } : {}),
    ...(primaries !== undefined && PRIMARIES.has(primaries) ? { primaries } : {}),
    ...(transfer !== undefined && TRANSFERS.has(transfer) ? { transfer } : {}),
    ...(range === 'pc' || range === 'tv' ? { full: range === 'pc' } : {}),
  };
}
