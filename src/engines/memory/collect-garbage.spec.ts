import { describe, expect, it } from '@jest/globals';
import { collectGarbage } from './free-memory.js';

describe('collectGarbage', () => {
  it('frees memory that nothing refers to', async () => {
    const dropped = new WeakRef({ size: 'large' });
    await collectGarbage();
    expect(dropped.deref()).toBeUndefined();
  });
});
