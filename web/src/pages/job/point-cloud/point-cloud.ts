import type { CloudData } from './cloud-data';
import type { FrameImage } from '../frames/frame-loader';

/** A decoded point cloud, which the loader of frames keeps like an image. Its size is its number of points. */
export interface PointCloud extends CloudData, FrameImage {}

export const isPointCloud = (medium: object): medium is PointCloud => 'positions' in medium;
