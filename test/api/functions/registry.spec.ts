import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { CAR, givenFunction } from '../../support/given-functions.js';

const DENIED = { detail: 'You do not have permission to perform this action.' };
const REQUIRED = ['This field is required.'];

describe('the registry of functions', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let admin: Person;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
    admin = await given.admin();
  });
  afterAll(() => app.close());

  const create = (body: object, person = owner) =>
    person.http.post('/api/functions').send({ provider: 'native', name: 'Function', ...body });

  it('returns what a detector declares, with the type any for labels without a type', async () => {
    const age = { name: 'age', input_type: 'number', values: ['0', '150', '1'] };
    const labels = [
      { name: 'cat', attributes: [age], type: 'rectangle' },
      { name: 'any', attributes: [] },
      { name: 'body', attributes: [], type: 'skeleton', sublabels: [{ name: 'head', attributes: [], type: 'points' }] },
    ];
    const { body, headers } = await create({ kind: 'detector', labels_v2: labels }).expect(201);
    expect(headers['location']).toBe(body.url);
    expect(body).toMatchObject({
      url: `${app.url}/api/functions/${body.id}`,
      provider: 'native',
      visibility: 'private',
      owner: { id: owner.id },
      organization: null,
      description: '',
      version: 2,
      has_agent: false,
      labels_v2: [labels[0], { ...labels[1], type: 'any' }, labels[2]],
    });
    expect((await owner.http.get(`/api/functions/${body.id}`)).body).toEqual(body);
  });

  it('returns what trackers and interactors declare', async () => {
    const tracker = await create({ kind: 'tracker', supported_shape_types: ['rectangle', 'polygon'] }).expect(201);
    expect(tracker.body.supported_shape_types).toEqual(['polygon', 'rectangle']);
    const interactor = await create({ kind: 'interactor', min_pos_points: 1, startswith_box_optional: true }).expect(
      201,
    );
    expect(interactor.body).toMatchObject({
      min_pos_points: 1,
      min_neg_points: -1,
      startswith_box: false,
      startswith_box_optional: true,
    });
  });

  it.each([
    [{ provider: 'other', kind: 'tracker', supported_shape_types: [] }, 'provider', ['"other" is not a valid choice.']],
    [{ kind: 'reid' }, 'kind', ['"reid" is not a valid choice.']],
    [{ kind: 'detector' }, 'labels_v2', REQUIRED],
    [{ kind: 'detector', labels_v2: [] }, 'labels_v2', ['This list may not be empty.']],
    [{ kind: 'tracker' }, 'supported_shape_types', REQUIRED],
    [{ kind: 'interactor' }, 'min_pos_points', REQUIRED],
    [{ kind: 'tracker', name: ' ', supported_shape_types: [] }, 'name', ['This field may not be blank.']],
    [{ kind: 'tracker', supported_shape_types: ['blob'] }, 'supported_shape_types', ['"blob" is not a valid choice.']],
    [{ kind: 'detector', labels_v2: [CAR, CAR] }, 'labels_v2', ['The label "car" is repeated.']],
    [
      { kind: 'detector', labels_v2: [{ ...CAR, attributes: [{ name: 'a', input_type: 'date', values: [] }] }] },
      'labels_v2',
      [{ attributes: [{ input_type: ['"date" is not a valid choice.'] }] }],
    ],
  ])('names the field that is invalid (%#)', async (body, field, problem) => {
    expect((await create(body).expect(400)).body).toEqual({ [field]: problem });
  });

  it('changes names, descriptions and visibility, and deletes functions', async () => {
    const organization = await given.organization(owner);
    const path = `/api/functions/${(await create({ kind: 'tracker', supported_shape_types: [] }).query({ org: organization.slug })).body.id}`;
    const change = { name: 'Other', description: 'Text', visibility: 'public' };
    expect((await owner.http.patch(path).send(change).expect(200)).body).toMatchObject({
      ...change,
      organization: organization.id,
    });
    await owner.http.delete(path).expect(204);
    expect((await owner.http.get(path).expect(404)).body).toEqual({ detail: 'No Function matches the given query.' });
  });

  it('lets only administrators publish a function for the whole server', async () => {
    const id = await givenFunction(owner);
    const path = `/api/functions/${id}`;
    expect((await owner.http.patch(path).send({ visibility: 'public' }).expect(403)).body).toEqual(DENIED);
    await create({ kind: 'tracker', supported_shape_types: [], visibility: 'public' }).expect(403);
    await admin.http.patch(path).send({ visibility: 'public' }).expect(200);
    const stranger = await given.person();
    await stranger.http.get(path).expect(200);
    await stranger.http.delete(path).expect(403);
  });

  it('lists own functions, and public ones of the organization', async () => {
    const [member, stranger] = [await given.person(), await given.person()];
    const organization = await given.organization(owner, [{ person: member, role: 'worker' }]);
    const make = async (visibility: string): Promise<number> =>
      (
        await create({ kind: 'tracker', supported_shape_types: [], visibility })
          .query({ org: organization.slug })
          .expect(201)
      ).body.id as number;
    const [hidden, shown] = [await make('private'), await make('public')];
    const idsFor = async (person: Person): Promise<number[]> => {
      const { body } = await person.http.get('/api/functions').query({ org: organization.slug, sort: 'id' });
      return ((body as { results?: { id: number }[] }).results ?? []).map(({ id }) => id);
    };
    expect(await idsFor(owner)).toEqual([hidden, shown]);
    expect(await idsFor(member)).toEqual([shown]);
    await stranger.http.get('/api/functions').query({ org: organization.slug }).expect(403);
    const { body } = await stranger.http.get('/api/functions?search=Function').expect(200);
    expect((body as { results: { id: number }[] }).results.map(({ id }) => id)).not.toContain(shown);
    await stranger.http.get(`/api/functions/${shown}`).expect(403);
  });

  it('refuses to change anything with a token for reading', async () => {
    const id = await givenFunction(owner);
    const { body } = await owner.http.post('/api/auth/access_tokens').send({ name: 'r', read_only: true }).expect(201);
    const headers = { Authorization: `Bearer ${body.value as string}` };
    await app.http.get(`/api/functions/${id}`).set(headers).expect(200);
    await app.http.delete(`/api/functions/${id}`).set(headers).expect(403);
    for (const call of ['acquire', 'x/update', 'x/complete', 'x/fail'])
      await app.http.post(`/api/functions/queues/function%3A${id}/requests/${call}`).set(headers).send({}).expect(403);
    await app.http.get(`/api/functions/queues/function%3A${id}/watch`).set(headers).expect(403);
    expect((await owner.http.get(`/api/functions/${id}`).expect(200)).body.has_agent).toBe(false);
  });
});
