import { describe, expect, it } from '@jest/globals';
import { FairSlots } from './request.worker.js';

describe('FairSlots', () => {
  it('reserves the last slot for an owner who has none', () => {
    const slots = new FairSlots({ total: 4, each: 3 });
    slots.begin(1);
    slots.begin(1);
    expect([slots.claimOrder().full, slots.hasRoom]).toEqual([[], true]);
    slots.begin(2);
    expect(slots.claimOrder().full).toEqual([1, 2]);
    slots.begin(3);
    expect(slots.hasRoom).toBe(false);
    slots.end(1);
    slots.end(2);
    expect(slots.claimOrder().full).toEqual([]);
  });

  it('limits each owner, and deleted accounts together', () => {
    const slots = new FairSlots({ total: 4, each: 2 });
    slots.begin(null);
    expect(slots.claimOrder().full).toEqual([]);
    slots.begin(null);
    expect(slots.claimOrder().full).toEqual([0]);
  });

  it('remembers who was served longest ago', () => {
    const turns = new FairSlots({ total: 4, each: 2 });
    for (const owner of [1, 2, 1]) {
      turns.begin(owner);
      turns.end(owner);
    }
    expect(turns.claimOrder().served).toEqual([2, 1]);
  });
});
