import { NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import type { NativeFunction } from '../../app/api';
import { ActionsMenu } from '../../components/actions-menu';
import { CodeBlock } from '../../components/code-block';
import { Confirm } from '../../components/confirm';
import { Crumbs } from '../../components/crumbs';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { Loaded } from '../../components/loaded';
import { AgentStatus } from '../../components/models/agent-status';
import { runCommand } from '../../components/models/commands';
import { isNative, KIND_TEXTS, KIND_TITLES, type Model, type ModelLabel } from '../../components/models/model';
import { changeVisibility, deleteFunction, nativeFunctionQuery } from '../../components/models/model-requests';
import { modelsQuery } from '../../components/models/models-query';
import { showProblem, showSuccess } from '../../components/notify';
import { Page } from '../../components/page';
import { displayName } from '../../components/person';
import { useFunctionRights } from '../../components/rights';
import { TimeAgo } from '../../components/time-ago';

const POLL_MS = 5_000;

export function Component(): ReactNode {
  const { modelId = '' } = useParams();
  const query = useQuery(modelsQuery);
  return (
    <Loaded query={query} pageTitle="Model">
      {(models) => {
        const model = models.find(({ id }) => id === modelId);
        if (model === undefined) return <UnknownModel />;
        return isNative(model) ? <NativeModel model={model} /> : <ModelView model={model} subtitle="HTTP server" />;
      }}
    </Loaded>
  );
}

const CRUMBS = <Crumbs crumbs={[{ to: '/models', title: 'Models' }]} />;

const UnknownModel = (): ReactNode => (
  <Page title="Model" above={CRUMBS}>
    <EmptyState
      icon="model"
      title="This model does not exist"
      text="It may have been deleted, or it belongs to another organization."
    />
  </Page>
);

interface ModelViewProps {
  readonly model: Model;
  readonly subtitle: ReactNode;
  readonly actions?: ReactNode;
  /** Settings, below the description. */
  readonly children?: ReactNode;
}

function ModelView({ model, subtitle, actions, children }: ModelViewProps): ReactNode {
  const { kind, name, description, labels_v2: labels } = model;
  return (
    <Page title={name} above={CRUMBS} subtitle={subtitle} actions={actions}>
      <Stack gap="xl">
        <Stack gap="xs">
          {description !== '' && <Text size="sm">{description}</Text>}
          <Text size="sm">
            {KIND_TITLES[kind]}. {KIND_TEXTS[kind]} {inputsOf(model)}
          </Text>
        </Stack>
        {children}
        {labels.length > 0 && (
          <section aria-labelledby="labels">
            <Title order={2} size="h3" mb="sm" id="labels">
              Labels
            </Title>
            <DataTable rows={labels} columns={LABEL_COLUMNS} keyOf={(label) => label.name} minWidth={420} />
          </section>
        )}
      </Stack>
    </Page>
  );
}

/** What the function needs as input. */
function inputsOf(model: Model): string {
  const { kind, supported_shape_types: types = [], min_pos_points: clicks = 1, min_neg_points: excluded = -1 } = model;
  if (kind === 'tracker') return `Types of objects: ${types.join(', ')}.`;
  if (kind !== 'interactor') return '';
  const box = model.startswith_box === true ? 'It needs a box around the object. ' : '';
  const optional = model.startswith_box_optional === true ? 'It accepts a box around the object. ' : '';
  const least = clicks > 1 ? `It needs at least ${clicks} clicks. ` : '';
  return `${box}${optional}${least}${excluded >= 0 ? 'Clicks can also exclude parts.' : ''}`;
}

const LABEL_COLUMNS: readonly Column<ModelLabel>[] = [
  { title: 'Label', isText: true, cell: ({ name }) => <Text size="sm">{name}</Text> },
  { title: 'Type', cell: ({ type }) => <Text size="sm">{type}</Text> },
  {
    title: 'Attributes and points',
    isText: true,
    cell: ({ attributes, sublabels = [] }) => (
      <Text size="sm">{[...attributes, ...sublabels].map(({ name }) => name).join(', ')}</Text>
    ),
  },
];

/** A function of agents. */
function NativeModel({ model }: { readonly model: Model }): ReactNode {
  const query = useQuery({ ...nativeFunctionQuery(Number(model.id)), refetchInterval: POLL_MS });
  return (
    <Loaded query={query} pageTitle={model.name}>
      {(one) => <NativeView model={model} one={one} />}
    </Loaded>
  );
}

interface NativeViewProps {
  readonly model: Model;
  readonly one: NativeFunction;
}

function NativeView({ model, one }: NativeViewProps): ReactNode {
  const { id, name, kind } = one;
  const client = useQueryClient();
  const navigate = useNavigate();
  const rights = useFunctionRights(one);
  const [isDeleting, setDeleting] = useState(false);
  const remove = async (): Promise<void> => {
    await deleteFunction(id);
    await navigate('/models');
    client.removeQueries({ queryKey: ['functions', id] });
    await Promise.all(['models', 'functions'].map((key) => client.invalidateQueries({ queryKey: [key] })));
  };
  return (
    <ModelView
      model={model}
      subtitle={<Subtitle one={one} />}
      actions={
        rights?.delete === true && (
          <ActionsMenu
            wide
            of={name}
            actions={[{ title: 'Delete', icon: 'trash', isDangerous: true, onClick: () => setDeleting(true) }]}
          />
        )
      }
    >
      {rights?.publish === true && <VisibilityField one={one} />}
      <section aria-labelledby="agent">
        <Title order={2} size="h3" mb="sm" id="agent">
          Run an agent
        </Title>
        <CodeBlock label="Command that runs an agent" text={runCommand(id, kind)} />
      </section>
      <Confirm
        opened={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete ${name}?`}
        text="Its agents stop, and requests that are not completed are cancelled. Annotations stay. This cannot be undone."
        action="Delete model"
        onConfirm={remove}
      />
    </ModelView>
  );
}

const Subtitle = ({
  one: { id, owner, has_agent: hasAgent, updated_date: date },
}: {
  readonly one: NativeFunction;
}) => (
  <Text span size="sm">
    <AgentStatus hasAgent={hasAgent} /> #{id} · {owner === null ? 'no owner' : `by ${displayName(owner)}`} · updated{' '}
    <TimeAgo date={date} />
  </Text>
);

const VISIBILITIES = [
  { value: 'private', label: 'Private: the owner and administrators' },
  { value: 'public', label: 'Public: all users of this server' },
];
const VISIBILITIES_IN_ORGANIZATION = [
  { value: 'private', label: 'Private: the owner and maintainers' },
  { value: 'public', label: 'Public: all members of the organization' },
];

/** Who can see and call the function. */
function VisibilityField({ one: { id, visibility, organization } }: { readonly one: NativeFunction }): ReactNode {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (value: NativeFunction['visibility']) => changeVisibility(id, value),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['functions'] });
      showSuccess('Visibility changed.');
    },
    onError: showProblem,
  });
  return (
    <NativeSelect
      label="Visibility"
      maw={360}
      disabled={change.isPending}
      data={organization === null ? VISIBILITIES : VISIBILITIES_IN_ORGANIZATION}
      value={visibility}
      onChange={({ currentTarget: { value } }) => change.mutate(value === 'public' ? 'public' : 'private')}
    />
  );
}
