import { describe, expect, it } from '@jest/globals';
import { requestIdOf } from './request-id.js';

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
