/** Uncompressed pixels, 8 bits a channel, top row first. */
export interface Raster {
  width: number;
  height: number;
  channels: 1 | 3;
  data: Buffer;
}

/** A decoder for a format that libvips, as it is shipped, does not read. */
export interface RasterFormat {
  name: string;
  matches(file: Buffer): boolean;
  /** @throws RangeError or TypeError for a broken or unknown variant */
  readSize(file: Buffer): { width: number; height: number };
  /** The size was read before and found small enough. */
  decode(file: Buffer): Raster;
}
