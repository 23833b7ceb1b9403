import { OmitType } from '@nestjs/swagger';
import type { Representation, WireObject } from '../../../core/versioning/representations.js';
import { MediaMetaDto } from './media-meta.service.js';

/** The metadata of media before version 2.2. */
export class MediaMeta21Dto extends OmitType(MediaMetaDto, ['frame_rate'] as const) {}

const withoutRate = (meta: WireObject): WireObject =>
  Object.fromEntries(Object.entries(meta).filter(([name]) => name !== 'frame_rate'));

/** Version 2.2 adds the frame rate. */
export const mediaMetaVersions: Representation = {
  resource: 'media-meta',
  older: { '2.0': withoutRate, '2.1': withoutRate },
};
