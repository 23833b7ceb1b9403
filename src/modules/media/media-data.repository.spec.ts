import { describe, expect, it } from '@jest/globals';
import type { Tx } from '../../core/database/tx.js';
import type { Sql } from '../../engines/sql/sql.js';
import { MediaDataRepository, type NewFrame } from './media-data.repository.js';

describe('MediaDataRepository.insertFrames', () => {
  it('generates and inserts the rows in batches', async () => {
    let [made, written, most] = [0, 0, 0];
    function* frames(): Generator<NewFrame> {
      for (let frame = 0; frame < 12_001; frame += 1) {
        made += 1;
        most = Math.max(most, made - written);
        yield { frame, path: `${frame}.jpg`, width: 3, height: 2, related: [], realFrame: null };
      }
    }
    const slices: unknown[] = [];
    const query = ({ values }: Sql): Promise<unknown[]> => {
      const [, numbers] = values as [number, readonly number[]];
      slices.push([numbers[0], numbers.length]);
      written += numbers.length;
      return Promise.resolve([]);
    };
    await new MediaDataRepository().insertFrames({ query } as unknown as Tx, 1, frames());
    expect(slices).toEqual([[0, 5000], [5000, 5000], [10_000, 2001]]); // prettier-ignore
    expect(most).toBe(5000);
  });
});
