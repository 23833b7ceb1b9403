import { MultiSelect, Stack, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { readAll } from '../../app/api';
import type { ExchangeTarget } from './target';

/** Limits an export; empty values do not. */
export interface ExportFilter {
  readonly labels: readonly string[];
  readonly jobStates: readonly string[];
  /** Number of a revision. */
  readonly changedSince: string;
}

export const NO_FILTER: ExportFilter = { labels: [], jobStates: [], changedSince: '' };

/** @returns query parameters */
export const filterQuery = ({ labels, jobStates, changedSince }: ExportFilter): Readonly<Record<string, unknown>> => ({
  ...(labels.length > 0 && { label: labels }),
  ...(jobStates.length > 0 && { job_state: jobStates }),
  ...(changedSince !== '' && { changed_since: changedSince }),
});

const STATES = ['new', 'in progress', 'completed', 'rejected'];

interface Props {
  readonly target: ExchangeTarget;
  readonly value: ExportFilter;
  readonly onChange: (filter: ExportFilter) => void;
}

/** Selects a part of the annotations. */
export function ExportFilterFields({ target, value, onChange }: Props): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { kind, id } = target;
  const labels = useQuery({
    queryKey: ['labels', kind, id, 'names'],
    queryFn: () => readAll('/api/labels', { query: { [`${kind}_id`]: id } }),
    enabled: isOpen,
  });
  const toggle = (open: boolean): void => {
    setOpen(open);
    if (!open) onChange(NO_FILTER);
  };
  return (
    <Stack gap="sm">
      <Switch label="Export only a part" checked={isOpen} onChange={(event) => toggle(event.currentTarget.checked)} />
      {isOpen && (
        <>
          <MultiSelect
            label="Labels"
            placeholder={value.labels.length === 0 ? 'All labels' : ''}
            data={[...new Set((labels.data ?? []).map(({ name }) => name))]}
            value={[...value.labels]}
            onChange={(names) => onChange({ ...value, labels: names })}
            searchable
          />
          <MultiSelect
            label="Job states"
            placeholder={value.jobStates.length === 0 ? 'All jobs' : ''}
            data={STATES}
            value={[...value.jobStates]}
            onChange={(jobStates) => onChange({ ...value, jobStates })}
          />
          <TextInput
            label="Changed since revision"
            description="Only frames whose annotations changed after this revision. The history of a job shows the numbers."
            inputMode="numeric"
            value={value.changedSince}
            error={/^\d*$/.test(value.changedSince) ? undefined : 'Enter the number of a revision.'}
            onChange={(event) => onChange({ ...value, changedSince: event.currentTarget.value.trim() })}
          />
        </>
      )}
    </Stack>
  );
}
