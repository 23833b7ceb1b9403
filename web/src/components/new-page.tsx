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

interface NewPageProps<Created> {
  readonly kind: 'project' | 'task';
  readonly create: () => Promise<Created>;
  readonly onCreated: (created: Created) => void;
  /** Label of the submit button. */
  readonly action: string;
  /** A hint next to the button. */
  readonly note?: string;
  /** Clears the form. Undefined while it is empty. */
  readonly onClear: (() => void) | undefined;
  /** @param fields error messages by field */
  readonly children: (fields: Readonly<Record<string, string>>) => ReactNode;
}

/** A page with a form that creates a project or task and then opens it. */
export function NewPage<Created extends { readonly id: number }>(props: NewPageProps<Created>): ReactNode {
  const { kind, onCreated, action, note, onClear, children } = props;
  const list = `${kind}s`;
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: props.create,
    onSuccess: async (created) => {
      onCreated(created);
      await client.invalidateQueries({ queryKey: [list] });
      await navigate(`/${list}/${created.id}`);
    },
  });
  const form = useFocusOnRefusal(create.error);
  /** Errors that the app found itself are outdated after a change. Errors from the server stay until the next attempt. */
  const clearError = (): void => {
    if (create.error instanceof InvalidInput) create.reset();
  };
  const crumb = { to: `/${list}`, title: kind === 'project' ? 'Projects' : 'Tasks' };
  return (
    <Page title={`New ${kind}`} narrow above={<Crumbs crumbs={[crumb]} />}>
      <form onSubmit={submitting(create)} onChange={clearError} ref={form}>
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
            {onClear !== undefined && (
              <Button variant="subtle" onClick={onClear}>
                Clear form
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

/** A titled group of fields. */
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
