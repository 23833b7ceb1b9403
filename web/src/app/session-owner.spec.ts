import { beforeEach, describe, expect, it } from '@jest/globals';
import { OtherUser, type Owner, SessionOwner } from './session-owner';

const ALICE = { id: 1, username: 'alice' };
const BOB = { id: 2, username: 'bob' };

/** The session of the browser, as the server knows it. */
let session: { token: string; user: Owner | undefined };
let requests: number;
let others: string[];
let owner: SessionOwner;

beforeEach(() => {
  session = { token: 'first', user: ALICE };
  requests = 0;
  others = [];
  owner = new SessionOwner(
    () => session.token,
    async () => {
      requests += 1;
      return session.user;
    },
    ({ username }) => others.push(username),
  );
  owner.note(ALICE, 'first');
});

describe('SessionOwner', () => {
  it('admits requests of a known session without asking', async () => {
    await owner.admit('first');
    expect(requests).toBe(0);
  });

  it('admits requests of the next session of the same user, and asks once', async () => {
    session = { token: 'second', user: ALICE };
    await owner.admit('second');
    await owner.admit('second');
    expect(requests).toBe(1);
    expect(others).toEqual([]);
  });

  it('refuses every request of another user until the owner is back', async () => {
    session = { token: 'second', user: BOB };
    await expect(owner.admit('second')).rejects.toThrow(OtherUser);
    await expect(owner.admit('second')).rejects.toThrow(OtherUser);
    expect(await owner.check()).toBe('other');
    expect(others).toEqual(['bob', 'bob', 'bob']);
    session = { token: 'third', user: ALICE };
    expect(await owner.check()).toBe('owner');
    await owner.admit('third');
  });

  it('asks again when the session changes while it asks', async () => {
    session = { token: 'second', user: ALICE };
    const asking = owner.check();
    session = { token: 'third', user: BOB };
    expect(await asking).toBe('owner');
    await expect(owner.admit('third')).rejects.toThrow(OtherUser);
  });

  it('leaves requests without a session to the server', async () => {
    session = { token: 'second', user: undefined };
    await owner.admit('second');
    expect(await owner.check()).toBe('nobody');
  });

  it('belongs to the next user after a logout', async () => {
    owner.forget();
    expect(() => owner.require(ALICE.id)).toThrow(OtherUser);
    await owner.admit('second');
    owner.note(BOB, 'second');
    owner.require(BOB.id);
    expect(() => owner.require(ALICE.id)).toThrow(OtherUser);
    expect(others).toEqual([]);
  });
});
