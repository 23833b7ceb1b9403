import { Anchor, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { NativeFunction } from '../../app/api';
import { CodeBlock } from '../../components/code-block';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { Loaded } from '../../components/loaded';
import { AgentStatus } from '../../components/models/agent-status';
import { createCommand, runCommand } from '../../components/models/commands';
import { isNative, KIND_TITLES, type Model } from '../../components/models/model';
import { nativeFunctionsQuery } from '../../components/models/model-requests';
import { modelsQuery } from '../../components/models/models-query';
import { Page } from '../../components/page';
import { Person } from '../../components/person';
import { TimeAgo } from '../../components/time-ago';

const MAX_LABELS = 6;
const POLL_MS = 15_000;

export function Component(): ReactNode {
  const query = useQuery({ ...modelsQuery, staleTime: 0 });
  const { data: natives = [] } = useQuery({ ...nativeFunctionsQuery, refetchInterval: POLL_MS });
  const known = new Map(natives.map((one) => [String(one.id), one]));
  return (
    <Page title="Models" subtitle="Functions that detect, segment or track objects.">
      <Stack gap="xl">
        <Loaded query={query} pageTitle="Models">
          {(models) =>
            models.length === 0 ? (
              <EmptyState
                icon="model"
                title="No models yet"
                text="Register a function with the commands below, or ask the administrator of this server to connect HTTP functions."
              />
            ) : (
              <DataTable rows={models} columns={columnsOf(known)} keyOf={({ id }) => id} minWidth={760} />
            )
          }
        </Loaded>
        <HowToAdd />
      </Stack>
    </Page>
  );
}

const columnsOf = (natives: ReadonlyMap<string, NativeFunction>): readonly Column<Model>[] => [
  {
    title: 'Name',
    isText: true,
    cell: ({ id, name, description }) => (
      <>
        <Anchor underline="hover" component={Link} to={`/models/${encodeURIComponent(id)}`} fw={600} size="sm">
          {name}
        </Anchor>
        {description !== '' && (
          <Text size="xs" c="dimmed" lineClamp={2}>
            {description}
          </Text>
        )}
      </>
    ),
  },
  { title: 'Type', cell: ({ kind }) => <Text size="sm">{KIND_TITLES[kind]}</Text> },
  { title: 'Labels', isText: true, cell: ({ labels_v2: labels }) => <Labels names={labels.map(({ name }) => name)} /> },
  { title: 'Run by', cell: (model) => <Provider model={model} native={natives.get(model.id)} /> },
  { title: 'Owner', isText: true, cell: ({ id }) => <Owner native={natives.get(id)} /> },
  {
    title: 'Updated',
    cell: ({ updated_date: date }) => (
      <Text size="sm" c="dimmed">
        {date === undefined ? '' : <TimeAgo date={date} />}
      </Text>
    ),
  },
];

function Labels({ names }: { readonly names: readonly string[] }): ReactNode {
  const more = names.length - MAX_LABELS;
  return (
    <Text size="sm" lineClamp={2}>
      {names.slice(0, MAX_LABELS).join(', ')}
      {more > 0 && ` and ${more} more`}
    </Text>
  );
}

const Owner = ({ native }: { readonly native: NativeFunction | undefined }): ReactNode =>
  native === undefined ? null : <Person user={native.owner} />;

interface ProviderProps {
  readonly model: Model;
  readonly native: NativeFunction | undefined;
}

function Provider({ model, native }: ProviderProps): ReactNode {
  if (!isNative(model)) return <Text size="sm">HTTP server</Text>;
  return native === undefined ? <Text size="sm">Agents</Text> : <AgentStatus hasAgent={native.has_agent} />;
}

function HowToAdd(): ReactNode {
  return (
    <section className="panel panel--padded" aria-labelledby="add-model">
      <Stack gap="sm">
        <Title order={2} size="h3" id="add-model">
          Add a model
        </Title>
        <Text size="sm">
          Write a function in Python, for example around YOLO or SAM. Create an{' '}
          <Anchor component={Link} to="/account?show=tokens" inherit underline="always">
            access token
          </Anchor>
          , and register the function. The command prints its ID:
        </Text>
        <CodeBlock label="Command that registers a function" text={createCommand()} />
        <Text size="sm">Then run an agent where the function should run. It needs no open port:</Text>
        <CodeBlock label="Command that runs an agent" text={runCommand('ID')} />
      </Stack>
    </section>
  );
}
