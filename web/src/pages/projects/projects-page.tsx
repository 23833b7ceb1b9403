import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { api, type Project } from '../../app/api';
import { useUser } from '../../app/session';
import { Card } from '../../components/card';
import { EmptyState } from '../../components/empty-state';
import { Icon } from '../../components/icons';
import { pageOf, useListState } from '../../components/list-state';
import { ListToolbar } from '../../components/list-toolbar';
import { Page } from '../../components/page';
import { PagedList } from '../../components/paged-list';
import { Person } from '../../components/person';
import { useMayCreate } from '../../components/rights';
import { TimeAgo } from '../../components/time-ago';
import { counted } from '../../components/counted';
import { RestoreButton } from '../../components/restore-button';

const PAGE_SIZE = 24;
const SORTS = [
  { value: '-id', label: 'Newest first' },
  { value: 'id', label: 'Oldest first' },
  { value: '-updated_date', label: 'Recently updated' },
  { value: 'name', label: 'Name' },
];

export function Component(): ReactNode {
  const list = useListState('-id');
  const user = useUser();
  const query = useQuery(pageOf('/api/projects', list, { pageSize: PAGE_SIZE, filters: ['owner', 'assignee'] }));
  const mayCreate = useMayCreate();
  const create = mayCreate === true && (
    <Button component={Link} to="/projects/new" leftSection={<Icon name="plus" size={16} />}>
      New project
    </Button>
  );
  const mine = [{ value: user.username, label: 'Me' }];
  return (
    <Page
      title="Projects"
      subtitle="Sets of tasks with the same labels."
      actions={
        mayCreate === true && (
          <>
            {create}
            <RestoreButton kind="project" />
          </>
        )
      }
    >
      <ListToolbar
        list={list}
        what="projects"
        sorts={SORTS}
        filters={[
          { name: 'owner', label: 'Owner', options: mine },
          { name: 'assignee', label: 'Assignee', options: mine },
        ]}
      />
      <PagedList
        query={query}
        list={list}
        pageSize={PAGE_SIZE}
        what="projects"
        empty={
          <EmptyState
            icon="folder"
            title="No projects yet"
            text={
              mayCreate !== false
                ? 'A project defines the labels of its tasks. Create a project, then add tasks with images or videos.'
                : 'Projects that are assigned to you appear here. Your jobs are on the Jobs page.'
            }
            action={create}
          />
        }
      >
        {(projects) => (
          <ul className="cards" aria-label="Projects">
            {projects.map((project) => (
              <ProjectCard key={project.id} project={project} />
            ))}
          </ul>
        )}
      </PagedList>
    </Page>
  );
}

/** A project with tasks may still have no frames. A missing image would log an error in the browser's console. */
function usePreview({ id, updated_date: date, tasks }: Project): string | null {
  const { data = null } = useQuery({
    queryKey: ['preview', 'project', id, date],
    queryFn: async ({ signal }) => {
      const answer = await api.send(`/api/projects/${id}/preview`, { headers: { Prefer: 'handling=empty' }, signal });
      return answer.status === 204 ? null : dataUrl(await answer.blob());
    },
    enabled: tasks.count > 0,
    staleTime: Infinity,
  });
  return data;
}

function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result as string));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The image could not be read.')));
    reader.readAsDataURL(blob);
  });
}

function ProjectCard({ project }: { readonly project: Project }): ReactNode {
  const { count } = project.tasks;
  return (
    <Card
      to={`/projects/${project.id}`}
      title={project.name}
      preview={usePreview(project)}
      badge={
        <Text size="xs" c="dimmed">
          #{project.id}
        </Text>
      }
    >
      <Text size="sm">{counted(count, 'task')}</Text>
      <Person user={project.assignee ?? project.owner} />
      <Text size="xs" c="dimmed">
        Updated <TimeAgo date={project.updated_date} />
      </Text>
    </Card>
  );
}
