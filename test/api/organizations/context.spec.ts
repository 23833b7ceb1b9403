import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given } from '../../support/given.js';

describe('the organization of a request', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });

  afterAll(() => app.close());

  it.each(['nobody', 'a%00b', '%00'])('is not found by the name %s', async (slug) => {
    const { http } = await new Given(app).person();
    const answer = await http.get(`/api/tasks?org=${slug}`);
    expect([answer.status, answer.body]).toEqual([
      404,
      { detail: `${decodeURIComponent(slug)} organization does not exist.` },
    ]);
  });
});
