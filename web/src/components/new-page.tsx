import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { useNavigate } from 'react-router';
import { explain } from '../app/problems';
import { Crumbs } from './crumbs';
import { ErrorPanel } from './error-panel';
import { Page } from './page';
import { submitting, useFocusOnRefusal } from './submitting';
import { InvalidInput } from '../app/invalid-input';

interface NewPageProps<Made> {
  readonly kind: 'project' | 'task';
  readonly make: () => Promise<Made>;
  readonly onMade: (made: Made) => void;
  /** What the button says. */
  readonly action: string;
  /** Beside the button. */
  readonly note?: string;
  /** Undefined while nothing is typed. */
  readonly onEmpty: (() => void) | undefined;
  /** @param fields what the server says against each */
  readonly children: (fields: Readonly<Record<string, string>>) => ReactNode;
}

/** A form that makes something and leads to it. */
export function NewPage<Made extends { readonly id: number }>(props: NewPageProps<Made>): ReactNode {
  const { kind, make, onMade, action, note, onEmpty, children } = props;
  const list = `${kind}s`;
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: make,
    onSuccess: async (made) => {
      onMade(made);
      await client.invalidateQueries({ queryKey: [list] });
      await navigate(`/${list}/${made.id}`);
    },
  });
  const form = useFocusOnRefusal(create.error);
  /** What this page has found wrong is no longer true once something changes; what the server said is for the next attempt. */
  const forget = (): void => {
    if (create.error instanceof InvalidInput) create.reset();
  };
  const crumb = { to: `/${list}`, title: kind === 'project' ? 'Projects' : 'Tasks' };
  return (
    <Page title={`New ${kind}`} narrow above={<Crumbs crumbs={[crumb]} />}>
      <form onSubmit={submitting(create)} onChange={forget} ref={form}>
        <Stack gap="lg">
          {children(create.error === null ? {} : explain(create.error).fields)}
          {create.error !== null && <ErrorPanel error={create.error} />}
          <Group>
            <Button type="submit" loading={create.isPending}>
              {action}
            </Button>
            {note !== undefined && (
              <Text size="sm" c="dimmed">
                {note}
              </Text>
            )}
            {onEmpty !== undefined && (
              <Button variant="subtle" onClick={onEmpty}>
                Empty the form
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Page>
  );
}

interface FormSectionProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** Fields that belong together, under a title. */
export function FormSection({ title, children }: FormSectionProps): ReactNode {
  const id = useId();
  return (
    <section className="panel panel--padded" aria-labelledby={id}>
      <Title order={2} mb="sm" id={id}>
        {title}
      </Title>
      {children}
    </section>
  );
}
