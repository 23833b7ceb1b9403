import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Project } from '../../app/api';
import { useUser } from '../../app/session';
import { Card } from '../../components/card';
import { EmptyState } from '../../components/empty-state';
import { Icon } from '../../components/icons';
import { pageOf, useListState } from '../../components/list-state';
import { ListToolbar } from '../../components/list-toolbar';
import { Page } from '../../components/page';
import { PagedList } from '../../components/paged-list';
import { Person } from '../../components/person';
import { useMayMake } from '../../components/rights';
import { TimeAgo } from '../../components/time-ago';
import { counted } from '../../components/counted';

const PAGE_SIZE = 24;
const SORTS = [
  { value: '-id', label: 'Newest first' },
  { value: 'id', label: 'Oldest first' },
  { value: '-updated_date', label: 'Last changed' },
  { value: 'name', label: 'Name' },
];

export function Component(): ReactNode {
  const list = useListState('-id');
  const user = useUser();
  const query = useQuery(pageOf('/api/projects', list, { pageSize: PAGE_SIZE, filters: ['owner', 'assignee'] }));
  const mayMake = useMayMake();
  const create = mayMake && (
    <Button component={Link} to="/projects/new" leftSection={<Icon name="plus" size={16} />}>
      New project
    </Button>
  );
  const mine = [{ value: user.username, label: 'Me' }];
  return (
    <Page title="Projects" subtitle="Tasks that share their labels." actions={create}>
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
              mayMake
                ? 'A project holds the labels that its tasks use. Make one, then put images or videos into its tasks.'
                : 'Projects that you are given here appear in this list. Your work is under Jobs.'
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

function ProjectCard({ project }: { readonly project: Project }): ReactNode {
  const { count } = project.tasks;
  return (
    <Card
      to={`/projects/${project.id}`}
      title={project.name}
      preview={
        count === 0 ? null : `/api/projects/${project.id}/preview?of=${encodeURIComponent(project.updated_date)}`
      }
      badge={
        <Text size="xs" c="dimmed">
          #{project.id}
        </Text>
      }
    >
      <Text size="sm">{counted(count, 'task')}</Text>
      <Person user={project.assignee ?? project.owner} />
      <Text size="xs" c="dimmed">
        Changed <TimeAgo date={project.updated_date} />
      </Text>
    </Card>
  );
}
