import { readMp4Samples } from '#shared/mp4-samples';

/** A frame of a chunk as it is stored. */
interface Sample {
  /** Position of the frame in the chunk, in the order of display. */
  readonly at: number;
  readonly isKey: boolean;
  readonly data: Uint8Array;
}

/** A chunk of a video: an MP4 with one track of H.264. */
export class EncodedVideo {
  readonly config: VideoDecoderConfig;
  /** In the order of decoding. */
  readonly samples: readonly Sample[];

  /** @throws Error for other files */
  constructor(file: Uint8Array) {
    const { pts, positions, sizes, keys, extradata } = readMp4Samples(file);
    const shown = new Map(Array.from(pts.toSorted(), (time, at) => [time, at]));
    const keyframes = new Set(keys);
    this.samples = Array.from(pts, (time, i) => {
      const start = positions[i] ?? 0;
      const data = file.subarray(start, start + (sizes[i] ?? 0));
      return { at: shown.get(time) ?? 0, isKey: keyframes.has(time), data };
    });
    this.config = { codec: `avc1.${hex(extradata.subarray(1, 4))}`, description: extradata };
  }

  /** @returns the index of the sample from which a frame can be decoded */
  keyBefore(at: number): number {
    const own = this.samples.findIndex((sample) => sample.at === at);
    return this.samples.findLastIndex(({ isKey }, index) => isKey && index <= own);
  }
}

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
