import { describe, expect, it } from '@jest/globals';
import { OwnerTurns } from './request.worker.js';

describe('turns of owners', () => {
  it('leave the last place to an owner who has none', () => {
    const turns = new OwnerTurns({ total: 4, each: 3 });
    turns.begin(1);
    turns.begin(1);
    expect([turns.turns().full, turns.hasRoom]).toEqual([[], true]);
    turns.begin(2);
    expect(turns.turns().full).toEqual([1, 2]);
    turns.begin(3);
    expect(turns.hasRoom).toBe(false);
    turns.end(1);
    turns.end(2);
    expect(turns.turns().full).toEqual([]);
  });

  it('are limited for each owner, deleted accounts together', () => {
    const turns = new OwnerTurns({ total: 4, each: 2 });
    turns.begin(null);
    expect(turns.turns().full).toEqual([]);
    turns.begin(null);
    expect(turns.turns().full).toEqual([0]);
  });

  it('remember who was served longest ago', () => {
    const turns = new OwnerTurns({ total: 4, each: 2 });
    for (const owner of [1, 2, 1]) {
      turns.begin(owner);
      turns.end(owner);
    }
    expect(turns.turns().served).toEqual([2, 1]);
  });
});
