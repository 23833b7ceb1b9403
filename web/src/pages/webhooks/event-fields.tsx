import { Checkbox, Group, Input, Radio, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api } from '../../app/api';
import { ErrorPanel } from '../../components/error-panel';
import classes from './webhook-form.module.css';
import type { WebhookEvent, WebhookType, WebhookValues } from './webhook-values';

/** Events that webhooks of a type can subscribe to, including those that newer API versions added. */
export function useEvents(type: WebhookType) {
  return useQuery({
    queryKey: ['webhook-events', type],
    queryFn: async () => {
      const params = { query: { type } };
      const { events, newer_events: newer } = unwrap(await api.GET('/api/webhooks/events', { params }));
      return [...events, ...newer].map(({ key }) => key).toSorted();
    },
    staleTime: Infinity,
  });
}

interface EventFieldsProps {
  readonly query: ReturnType<typeof useEvents>;
  readonly values: WebhookValues;
  readonly set: (part: Partial<WebhookValues>) => void;
  readonly error: string | undefined;
}

/** Selects the events that a webhook subscribes to. */
export function EventFields({ query, values, set, error }: EventFieldsProps): ReactNode {
  return (
    <>
      <Radio.Group
        aria-label="Events"
        value={values.everything ? 'all' : 'some'}
        onChange={(value) => set({ everything: value === 'all' })}
      >
        <Group>
          <Radio value="all" label="Send everything" />
          <Radio value="some" label="Select individual events" />
        </Group>
      </Radio.Group>
      {!values.everything && (
        <EventGroups known={query.data ?? []} selected={values.events} onChange={(events) => set({ events })} />
      )}
      {error !== undefined && (
        <Input.Error mt="xs" size="sm" role="alert">
          {error}
        </Input.Error>
      )}
      {query.error !== null && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
    </>
  );
}

/** @returns `job` for `update:job` */
const resourceOf = (event: WebhookEvent): string => event.slice(event.indexOf(':') + 1).replace(/\[.*$/, '');

interface EventGroupsProps {
  readonly known: readonly WebhookEvent[];
  readonly selected: readonly WebhookEvent[];
  readonly onChange: (selected: readonly WebhookEvent[]) => void;
}

/** Events grouped by resource. */
function EventGroups({ known, selected, onChange }: EventGroupsProps): ReactNode {
  const resources = [...new Set(known.map(resourceOf))].toSorted();
  const toggle = (events: readonly WebhookEvent[], on: boolean): void => {
    const others = selected.filter((event) => !events.includes(event));
    onChange(on ? [...others, ...events] : others);
  };
  return (
    <div className={classes['groups']}>
      {resources.map((resource) => {
        const events = known.filter((event) => resourceOf(event) === resource);
        const count = events.filter((event) => selected.includes(event)).length;
        return (
          <div key={resource} className={classes['group']} role="group" aria-label={`Events of ${resource}`}>
            <Checkbox
              label={resource}
              fw={600}
              mb={8}
              checked={count === events.length}
              indeterminate={count > 0 && count < events.length}
              onChange={(event) => toggle(events, event.currentTarget.checked)}
            />
            <Stack gap={8} pl={4}>
              {events.map((event) => (
                <Checkbox
                  key={event}
                  label={event}
                  checked={selected.includes(event)}
                  onChange={({ currentTarget }) => toggle([event], currentTarget.checked)}
                />
              ))}
            </Stack>
          </div>
        );
      })}
    </div>
  );
}
