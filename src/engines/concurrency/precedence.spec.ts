import { describe, expect, it } from '@jest/globals';
import { Precedence } from './precedence.js';

describe('precedence', () => {
  it('pauses background work while somebody waits for other work', async () => {
    const precedence = new Precedence(0);
    const order: string[] = [];
    let finish: () => void = () => undefined;
    const first = precedence.first(() => new Promise<void>((resolve) => (finish = resolve)));
    const second = precedence.giveWay(60_000).then(() => order.push('second'));
    order.push('first');
    finish();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
  });

  it('pauses nothing longer than its limit, nor after an error', async () => {
    const precedence = new Precedence(0);
    void precedence.first(() => new Promise(() => undefined));
    await precedence.giveWay(1);
    const other = new Precedence(0);
    await expect(other.first(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await other.giveWay(60_000);
  });
});
