import { describe, expect, it } from '@jest/globals';
import { currentRequestId, requestIdOf } from './request.dto.js';

describe('requestIdOf', () => {
  it.each([
    [{ action: 'create', target: 'task', targetId: 5 }, 'action=create&target=task&target_id=5'],
    [
      { action: 'export', target: 'task', targetId: 5, userId: 1, format: 'COCO 1.0', subresource: 'dataset' },
      'action=export&target=task&target_id=5&user_id=1&format=COCO_1~0&subresource=dataset',
    ],
    [
      { action: 'import', target: 'task', id: '0a-1', subresource: 'backup' },
      'action=import&target=task&id=0a-1&subresource=backup',
    ],
  ])('%j', (identity, id) => {
    expect(requestIdOf(identity)).toBe(id);
  });
});

describe('currentRequestId', () => {
  it.each([
    ['create:task-5', 'action=create&target=task&target_id=5'],
    ['import:project-5-dataset', 'action=import&target=project&target_id=5&subresource=dataset'],
    [
      'import:task-0a0b0c0d-0000-4000-8000-000000000001-backup',
      'action=import&target=task&id=0a0b0c0d-0000-4000-8000-000000000001&subresource=backup',
    ],
    [
      'export:task-5-dataset-in-COCO@1@0-format-by-1',
      'action=export&target=task&target_id=5&user_id=1&format=COCO_1~0&subresource=dataset',
    ],
    [
      'export:job-5-annotations-in-CVAT_for_images_1@1-format-by-2',
      'action=export&target=job&target_id=5&user_id=2&format=CVAT_for_images_1~1&subresource=annotations',
    ],
    [
      'export:project-5-dataset-in-MARKET-1501@1@0-format-by-2',
      'action=export&target=project&target_id=5&user_id=2&format=MARKET-1501_1~0&subresource=dataset',
    ],
    ['export:project-1-backup-by-2', 'action=export&target=project&target_id=1&user_id=2&subresource=backup'],
    ['action=create&target=task&target_id=5', 'action=create&target=task&target_id=5'],
    ['create:job-5', 'create:job-5'],
  ])('%s', (id, current) => {
    expect(currentRequestId(id)).toBe(current);
  });
});
