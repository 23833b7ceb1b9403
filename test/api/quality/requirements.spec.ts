import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { type ComparedTask, computedQuality, givenExample } from '../../support/given-quality.js';

describe('quality requirements', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let task: ComparedTask;
  let id: number;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
    task = await givenExample(app, owner);
    const { body } = await owner.http.get(`/api/quality/settings?task_id=${task.id}`);
    id = body.results[0].id;
  });

  afterAll(() => app.close());

  const requirements = '/api/quality/settings/requirements';

  const PARAMETERS = {
    iou_threshold: 0.4, point_size: 0.09, point_size_base: 'group_bbox_size', line_thickness: 0.01,
    match_orientation: true, line_orientation_threshold: 0.1, match_groups: true, group_match_threshold: 0.5,
    check_covered_annotations: true, object_visibility_threshold: 0.05, panoptic_comparison: true,
    attribute_comparison: { default: { enabled: true, comparator: 'exact' }, rules: [] },
  }; // prettier-ignore

  it('are the settings by the names of CVAT 2.80', async () => {
    const { status, body } = await owner.http.get(`${requirements}?task_id=${task.id}`);
    const listed = {
      id, settings_id: id, task_id: task.id, project_id: null, name: 'Base', is_base: true, sort_order: 0, filter: '',
      enabled: true, annotation_type: null, metric: 'accuracy', required_score: 0.7, parent_requirement: null,
      ...PARAMETERS, created_date: expect.any(String), updated_date: expect.any(String),
    }; // prettier-ignore
    expect([status, body.results]).toEqual([200, [listed]]);
    const one = await owner.http.get(`${requirements}/${id}`);
    expect([one.status, one.body]).toEqual([200, { ...listed, effective: PARAMETERS }]);
  });

  it('are found by the filters of CVAT 2.80', async () => {
    const count = async (query: string): Promise<number> => {
      const { body } = await owner.http.get(`${requirements}?${query}`).expect(200);
      return (body as { count: number }).count;
    };
    expect(await count(`settings_id=${id}&enabled=true&sort=name`)).toBe(1);
    expect(await count(`settings_id=${id}&enabled=false`)).toBe(0);
    expect(await count(`settings_id=${id}&annotation_type=mask&sort=-sort_order`)).toBe(0);
    expect(await count('project_id=99999')).toBe(0);
  });

  it('change the settings', async () => {
    const sent = {
      name: 'Base', sort_order: 0, filter: '', enabled: true, annotation_type: null, parent_requirement: null,
      metric: 'recall', required_score: 0.9, iou_threshold: 0.5, point_size: 0.1, point_size_base: 'image_size',
      line_thickness: 0.02, match_orientation: false, line_orientation_threshold: 0.2, match_groups: false,
      group_match_threshold: 0.6, check_covered_annotations: false, object_visibility_threshold: 0.1,
      panoptic_comparison: false, attribute_comparison: { default: { enabled: false }, rules: [] },
    }; // prettier-ignore
    const put = await owner.http.put(`${requirements}/${id}`).send(sent);
    expect([put.status, put.body]).toEqual([
      200,
      expect.objectContaining({
        ...sent,
        attribute_comparison: { default: { enabled: false, comparator: 'exact' }, rules: [] },
      }),
    ]);
    const settings = await owner.http.get(`/api/quality/settings/${id}`);
    expect(settings.body).toMatchObject({
      target_metric: 'recall', target_metric_threshold: 0.9, iou_threshold: 0.5, oks_sigma: 0.1,
      point_size_base: 'image_size', line_thickness: 0.02, compare_line_orientation: false,
      line_orientation_threshold: 0.2, compare_groups: false, group_match_threshold: 0.6,
      check_covered_annotations: false, object_visibility_threshold: 0.1, panoptic_comparison: false,
      compare_attributes: false, low_overlap_threshold: 0.8, inherit: true,
    }); // prettier-ignore
    const patched = await owner.http.patch(`${requirements}/${id}`).send({ metric: 'accuracy', iou_threshold: 0.4 });
    expect([patched.status, patched.body.metric, patched.body.required_score]).toEqual([200, 'accuracy', 0.9]);
    expect(Date.parse(patched.body.updated_date)).toBeGreaterThan(Date.parse(put.body.updated_date));
  });

  it.each([
    [{ iou_threshold: 2 }, { iou_threshold: ['Ensure this value is less than or equal to 1.'] }],
    [{ iou_threshold: null }, { iou_threshold: ['This field may not be null.'] }],
    [{ metric: 'dice' }, { metric: ['"dice" is not a valid choice.'] }],
    [{ name: 'Cars' }, { name: ['The name is always Base.'] }],
    [{ sort_order: 1 }, { sort_order: ['The only requirement has position 0.'] }],
    [{ enabled: false }, { enabled: ['The only requirement is always enabled.'] }],
    [{ annotation_type: 'mask' }, { annotation_type: ['Annotations of all types are compared.'] }],
    [{ parent_requirement: 1 }, { parent_requirement: ['The only requirement has no parent.'] }],
    [
      { filter: '{}' },
      { filter: ['All annotations are compared. Use the job filter of the settings instead.'] },
    ],
    [
      { attribute_comparison: { default: { comparator: 'levenshtein' } } },
      { attribute_comparison: ['All attributes are compared exactly, or none is.'] },
    ],
    [
      { attribute_comparison: { rules: [{ spec_id: 1, enabled: false }] } },
      { attribute_comparison: ['All attributes are compared exactly, or none is.'] },
    ],
  ])('refuse %j', async (body, problem) => {
    const answer = await owner.http.patch(`${requirements}/${id}`).send(body);
    expect([answer.status, answer.body]).toEqual([400, problem]);
  }); // prettier-ignore

  it('heed If-Match', async () => {
    const { headers } = await owner.http.get(`${requirements}/${id}`);
    const change = () =>
      owner.http
        .patch(`${requirements}/${id}`)
        .set('If-Match', headers['etag'] ?? '')
        .send({ line_thickness: 0.03 });
    expect((await change()).status).toBe(200);
    expect((await change()).status).toBe(412);
  });

  it('have a score and a confusion matrix in reports', async () => {
    await owner.http.patch(`${requirements}/${id}`).send({ metric: 'precision', required_score: 0.4 }).expect(200);
    const { result_id: reportId } = await computedQuality(app, owner, { task_id: task.id });
    const report = await owner.http.get(`/api/quality/reports/${reportId}`);
    const item = {
      requirement_id: id,
      name: 'Base',
      metric: 'precision',
      score: 0.5,
      score_components: { valid_count: 1, missing_count: 0, extra_count: 1 },
      calculation: { status: 'computed' },
      threshold: 0.4,
    };
    const requirement = { total: 1, enabled: 1, completed: 1, not_computed: 0, items: [item] };
    expect(report.body.summary.requirements).toEqual(requirement);

    const matrix = {
      labels: ['car', 'person', 'unmatched'],
      rows: [[1, 0, 0], [0, 0, 1], [0, 0, 0]],
      axes: { cols: 'gt', rows: 'ds' },
      precision: [1, 0, 0],
      recall: [1, 0, 0],
      accuracy: [1, 0.5, 0.5],
      jaccard_index: [1, 0, 0],
      dice: [1, 0, 0],
      target_metric_summary: {
        metric: 'precision',
        aggregation: 'micro',
        values: { micro: 0.5, mean: 0.5, label: 0 },
        worst_labels: ['person'],
      },
    }; // prettier-ignore
    const url = `/api/quality/reports/${reportId}/confusion`;
    const all = await owner.http.get(url);
    expect([all.status, all.body]).toEqual([200, [{ requirement_id: id, name: 'Base', confusion_matrix: matrix }]]);
    const one = await owner.http.get(`${url}/matrix?requirement=${id}&format=json`);
    expect([one.status, one.body]).toEqual([200, matrix]);
    const csv = await owner.http.get(`${url}/matrix?requirement=${id}&format=csv`);
    expect([csv.headers['content-type'], csv.text]).toEqual([
      'text/csv; charset=utf-8',
      'annotated as,car,person,unmatched\r\ncar,1,0,0\r\nperson,0,0,1\r\nunmatched,0,0,0\r\n',
    ]);
    const missing = await owner.http.get(`${url}/matrix`);
    expect([missing.status, missing.body]).toEqual([400, { requirement: ['This field is required.'] }]);
    expect((await owner.http.get(`${url}/matrix?requirement=${id + 1}`)).status).toBe(404);
    expect((await owner.http.get(`${url}/matrix?requirement=${id}&format=xml`)).status).toBe(400);
  });

  it('have no confusion matrix for a report with thousands of labels, which would take long to read', async () => {
    const { result_id: reportId } = await computedQuality(app, owner, { task_id: task.id });
    const rows = Array.from({ length: 1_500 }, () => Array.from({ length: 1_500 }, () => 0));
    const members = `"comparison_summary":{"annotations":{"confusion_matrix":${JSON.stringify({ labels: [], rows })}}}}`;
    await app.db.query(sql`update quality_report set document = ${gzipSync(members)} where id = ${reportId}`);
    const { status, body } = await owner.http.get(`/api/quality/reports/${reportId}/confusion`);
    expect([status, body]).toEqual([
      400,
      {
        detail:
          'The report has too many labels for this view of its confusion matrix. Download the report, which contains it.',
      },
    ]);
  });

  it('have no score without compared frames', async () => {
    const { body: project } = await owner.http.post('/api/projects').send({ name: 'p', labels: [{ name: 'car' }] });
    const { result_id: reportId } = await computedQuality(app, owner, { project_id: project.id });
    const { body } = await owner.http.get(`/api/quality/reports/${String(reportId)}`);
    expect(body.summary.requirements).toMatchObject({
      completed: 0,
      not_computed: 1,
      items: [{ score: null, calculation: { status: 'not_computed', reason: 'no_annotations' } }],
    });
    expect((await owner.http.get(`/api/quality/reports/${String(reportId)}/confusion`)).body).toEqual([]);
  });
});
