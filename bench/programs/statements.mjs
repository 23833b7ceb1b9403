// One statement per response. PostgreSQL generates the JSON, with the API's keys in their order, and the program
// forwards the text: the fastest known way that still reads the rows.

const time = (column) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const person = (base, alias) => `case when ${alias}.id is null then null else (select row_to_json(fields) from (
    select '${base}/api/users/' || ${alias}.id as url, ${alias}.id, ${alias}.username, ${alias}.first_name,
      ${alias}.last_name) fields) end`;

const storage = (alias) => `case when ${alias}.id is null then null else (select row_to_json(fields) from (
    select ${alias}.id, ${alias}.location, ${alias}.cloud_storage_id) fields) end`;

const task = (base) => `(select row_to_json(fields)::text from (select
    '${base}/api/tasks/' || task.id as url, task.id, task.name, task.project_id, task.mode,
    ${person(base, 'owner')} as owner, ${person(base, 'assignee')} as assignee, task.bug_tracker,
    ${time('task.created_date')} as created_date, ${time('task.updated_date')} as updated_date, task.overlap,
    task.segment_size, task.status, data.chunk_size as data_chunk_size,
    data.compressed_chunk_type as data_compressed_chunk_type,
    (select guide.id from guide where guide.task_id = task.id) as guide_id,
    data.original_chunk_type as data_original_chunk_type, data.size, data.image_quality, data.id as data,
    task.dimension, task.subset, task.organization_id as organization, ${storage('target')} as target_storage,
    ${storage('source')} as source_storage,
    (select row_to_json(counts) from (select count(*), count(*) filter (where stage = 'acceptance' and state = 'completed')
      as completed, count(*) filter (where stage = 'validation') as validation,
      '${base}/api/jobs?task_id=' || task.id as url from job where job.task_id = task.id) counts) as jobs,
    (select row_to_json(link) from (select '${base}/api/labels?task_id=' || task.id as url) link) as labels,
    ${time('task.assignee_updated_date')} as assignee_updated_date, data.validation_mode,
    task.consensus_replicas > 0 as consensus_enabled) fields)`;

const taskJoins = `
  left join app_user owner on owner.id = task.owner_id left join app_user assignee on assignee.id = task.assignee_id
  left join media_data data on data.id = task.data_id left join storage target on target.id = task.target_storage_id
  left join storage source on source.id = task.source_storage_id`;

const job = (base) => `(select row_to_json(fields)::text from (select
    '${base}/api/jobs/' || job.id as url, job.id, job.task_id, task.project_id, ${person(base, 'assignee')} as assignee,
    (select guide.id from guide where guide.project_id = task.project_id) as guide_id, task.dimension,
    coalesce(nullif(task.bug_tracker, ''), project.bug_tracker) as bug_tracker, job.status, job.stage, job.state,
    task.mode, segment.stop_frame - segment.start_frame + 1 as frame_count, segment.start_frame, segment.stop_frame,
    data.chunk_size as data_chunk_size, data.compressed_chunk_type as data_compressed_chunk_type,
    data.original_chunk_type as data_original_chunk_type, ${time('job.created_date')} as created_date,
    ${time('job.updated_date')} as updated_date,
    (select row_to_json(counts) from (select '${base}/api/issues?job_id=' || job.id as url, count(*)
      from issue where issue.job_id = job.id) counts) as issues,
    (select row_to_json(link) from (select '${base}/api/labels?job_id=' || job.id as url) link) as labels, job.type,
    task.organization_id as organization, ${storage('target')} as target_storage, ${storage('source')} as source_storage,
    ${time('job.assignee_updated_date')} as assignee_updated_date, job.parent_job_id,
    case when job.type = 'annotation' then task.consensus_replicas else 0 end as consensus_replicas) fields)`;

const jobJoins = `
  join segment on segment.id = job.segment_id join task on task.id = job.task_id
  left join project on project.id = task.project_id left join app_user assignee on assignee.id = job.assignee_id
  left join media_data data on data.id = task.data_id left join storage target on target.id = task.target_storage_id
  left join storage source on source.id = task.source_storage_id`;

/** A page of the newest rows of `table`; `$1` is the URL of the next page. */
const page = (table, object, joins, size) => `
  select '{"count":' || (select count(*) from ${table}) || ',"next":"' || $1::text || '","previous":null,"results":['
    || string_agg(${object}, ',' order by ${table}.id desc) || ']}' as body
  from (select * from ${table} order by id desc limit ${size}) ${table} ${joins}`;

const comment = (base) => `(select row_to_json(fields)::text from (select made.id, made.issue_id as issue,
    ${person(base, 'owner')} as owner, made.message, ${time('made.created_date')} as created_date,
    ${time('made.updated_date')} as updated_date) fields)`;

const issue = (
  base,
) => `(select row_to_json(fields)::text from (select made.id, made.frame, made.position, made.job_id as job,
    ${person(base, 'owner')} as owner, null::json as assignee, ${time('made.created_date')} as created_date,
    ${time('made.updated_date')} as updated_date, made.resolved,
    (select row_to_json(link) from (select 1 as count, '${base}/api/comments?issue_id=' || made.id as url) link) as comments) fields)`;

/**
 * Statements by name. Each returns one row with `body`.
 *
 * @param {string} base URL of the measured server, so that the responses have the same bytes
 */
export const statements = (base) => ({
  task: `select ${task(base)} as body from task ${taskJoins} where task.id = $1`,
  tasks: page('task', task(base), taskJoins, 10),
  jobs: page('job', job(base), jobJoins, 100),
  lockJob: `select ${job(base)} as body from job ${jobJoins} where job.id = $1 for no key update of job`,
  patchJob: `with job as (
      update job set state = $2, status = 'annotation', updated_date = now() where id = $1 returning *
    ) select ${job(base)} as body from job ${jobJoins}`,
  comment: `with made as (
      insert into comment (issue_id, owner_id, message, created_date, updated_date)
      values ($1, $2, $3, now(), now()) returning *
    ) select ${comment(base)} as body from made join app_user owner on owner.id = made.owner_id`,
  issue: `with made as (
      insert into issue (job_id, frame, position, owner_id, created_date, updated_date)
      values ($1, $2, $3, $4, now(), now()) returning *
    ), first_comment as (
      insert into comment (issue_id, owner_id, message, created_date, updated_date)
      select id, owner_id, $5, now(), now() from made
    ) select ${issue(base)} as body from made join app_user owner on owner.id = made.owner_id`,
});
