import type { Dataset } from '../../src/engines/annotations/formats/dataset.js';
import type { FileContent, FileSink } from '../../src/engines/annotations/formats/format.js';
import { exportFormats } from '../../src/engines/annotations/formats/registry.js';
import { exportOptions, sourceOf } from '../support/datasets.js';
import { kindsDataset } from '../support/format-kinds.js';
import { extremeData } from './annotations.js';
import type { FuzzTarget } from './target.js';

/** In pixels. Larger images take seconds to compress even if they are empty. */
const LARGE = { width: 2_000, height: 1_500 };

/** Forgets what it gets. */
class NoFiles implements FileSink {
  async addFile(_path: string, content: FileContent): Promise<void> {
    if (content instanceof Uint8Array) return;
    for await (const _ of content);
  }
}

/** Every exporter, with annotations that the API accepts. */
export const exportTargets: readonly FuzzTarget[] = exportFormats.all.map((format) => ({
  name: `export ${format.info.name}`,
  make(random) {
    const is3d = format.info.dimension === '3d';
    const dataset = datasetOf(is3d, random.chance(0.5));
    const frames = dataset.tasks[0]?.frames ?? [];
    const size = frames[0] ?? { width: 0, height: 0 };
    const data = extremeData({ ...size, is3d, frames: frames.length, labels: [1, 2] }, random);
    return {
      files: new Map([['annotations.json', Buffer.from(JSON.stringify(data))]]),
      run: async () => {
        await format.write(dataset, sourceOf(data), new NoFiles(), exportOptions());
      },
    };
  },
}));

function datasetOf(is3d: boolean, isLarge: boolean): Dataset {
  const dataset = kindsDataset(is3d);
  if (!isLarge || is3d) return dataset;
  const enlarged = (frames: Dataset['tasks'][number]['frames']) => frames.map((frame) => ({ ...frame, ...LARGE }));
  return { ...dataset, tasks: dataset.tasks.map((task) => ({ ...task, frames: enlarged(task.frames) })) };
}
