import sharp from 'sharp';

// One decoder thread per image with several images at a time is as fast as the reverse and takes less memory. Nothing
// is read twice, so libvips' cache would only waste memory.
sharp.concurrency(1);
sharp.cache(false);

// Allows only plain raster formats. libvips detects the format by content, so otherwise an SVG or PDF named like an
// image would be rendered, including the files it refers to.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpeg',
    'VipsForeignLoadPng',
    'VipsForeignLoadWebp',
    'VipsForeignLoadTiff',
    'VipsForeignLoadNsgif',
    'VipsForeignLoadHeif',
  ],
});

export { sharp };
export type { Sharp } from 'sharp';
