-- 100,000 tasks and 1,000,000 jobs of 200 people in 10 organizations. The people 1 to 4 are there already: the
-- administrator, the maintainer of organization 3, a person like any other, and a worker of organization 3. Who belongs
-- to what is scattered, in the same way each time: pick(n, use, count) is one of 1 to count, for each use another one.

create function pg_temp.pick(n bigint, use integer, count integer) returns integer immutable language sql
return 1 + abs(hashint8extended(n, use) % count)::integer;

insert into app_user (username, first_name, last_name, email, password, groups, date_joined)
select 'person' || n, 'First ' || n, 'Last ' || n, 'person' || n || '@example.org', '!', '{user}', now()
from generate_series(5, 200) n;

update app_user set groups = '{worker}' where id = 4;

insert into organization (slug, name, owner_id, created_date, updated_date)
select 'org' || n, 'Organization ' || n, 10 + n, now(), now() from generate_series(1, 10) n;

insert into membership (user_id, organization_id, is_active, joined_date, role)
values (2, 3, true, now(), 'maintainer'), (3, 3, true, now(), 'worker'), (4, 3, true, now(), 'worker');

-- A third of everything belongs to no organization.
insert into project (name, owner_id, organization_id, created_date, updated_date)
select 'City ' || n, pg_temp.pick(n, 1, 200), case when n % 3 > 0 then pg_temp.pick(n, 2, 10) end, now(), now() - n * interval '1 minute'
from generate_series(1, 1000) n;

insert into media_data (chunk_size, size, stop_frame, validation_mode)
select 36, 100, 99, case when n % 1000 = 0 then 'gt' end from generate_series(1, 100000) n;

insert into task (name, project_id, mode, owner_id, assignee_id, segment_size, data_id, organization_id, status, subset,
  created_date, updated_date)
select 'Crossing ' || n, case when n % 4 > 0 then pg_temp.pick(n, 3, 1000) end,
  (array['annotation', 'interpolation'])[pg_temp.pick(n, 4, 2)], pg_temp.pick(n, 5, 200),
  case when n % 5 = 0 then pg_temp.pick(n, 6, 50) end, 10, n,
  case when pg_temp.pick(n, 7, 3) < 3 and current_setting('seed.in_one_space') = 'off' then pg_temp.pick(n, 8, 10) end,
  (array['annotation', 'validation', 'completed'])[pg_temp.pick(n, 9, 3)],
  (array['Train', 'Test', ''])[pg_temp.pick(n, 10, 3)],
  now() - n * interval '1 second', now() - n * interval '1 second'
from generate_series(1, 100000) n;

insert into segment (task_id, start_frame, stop_frame, chunks_updated_date)
select 1 + n / 10, n % 10 * 10, n % 10 * 10 + 9, now() from generate_series(0, 999999) n;

insert into job (segment_id, task_id, assignee_id, stage, state, created_date, updated_date)
select n, 1 + (n - 1) / 10, case when pg_temp.pick(n, 11, 7) = 1 then pg_temp.pick(n, 12, 200) end,
  (array['annotation', 'validation', 'acceptance'])[pg_temp.pick(n, 13, 3)],
  (array['new', 'in progress', 'completed', 'rejected'])[pg_temp.pick(n, 14, 4)],
  now() - n * interval '1 second', now() - n * interval '1 second'
from generate_series(1, 1000000) n;
