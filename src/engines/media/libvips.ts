import sharp from 'sharp';

// One decoder thread per image and several images at a time is as fast as the reverse and takes less memory; nothing
// is read twice, so libvips' cache would only hold memory.
sharp.concurrency(1);
sharp.cache(false);

// Only formats that are plain pixels. A file is read by its content, so without this an SVG or a PDF in an image's
// name would be rendered, with whatever it refers to.
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
