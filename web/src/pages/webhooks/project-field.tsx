import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { api } from '../../app/api';
import { isAdministrator, useUser } from '../../app/session';
import { useMayCreateOrganizationWebhook } from '../../components/rights';

interface ProjectFieldProps {
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
  readonly error: string | undefined;
}

const MAX_SHOWN = '50';
const TYPING_MS = 250;

/** Selects a project for which the user can create webhooks. */
export function ProjectField({ value, onChange, error }: ProjectFieldProps): ReactNode {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, TYPING_MS);
  const user = useUser();
  const seesAll = useMayCreateOrganizationWebhook() || isAdministrator(user);
  const owner = seesAll ? {} : { owner: user.username };
  const selected = useQuery({
    queryKey: ['project', Number(value), 'name'],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET('/api/projects/{id}', { params: { path: { id: Number(value) } }, signal })),
    enabled: value !== null,
  });
  const found = useQuery({
    queryKey: ['projects', 'search', search, owner],
    queryFn: async ({ signal }) => {
      const query = { page_size: MAX_SHOWN, ...owner, ...(search === '' ? {} : { search }) };
      return unwrap(await api.GET('/api/projects', { params: { query }, signal })).results;
    },
    placeholderData: keepPreviousData,
  });
  const projects = new Map(
    [...(selected.data === undefined ? [] : [selected.data]), ...(found.data ?? [])].map(({ id, name }) => [
      String(id),
      `${name} (#${id})`,
    ]),
  );
  const options = [...projects].map(([id, label]) => ({ value: id, label }));
  return (
    <Select
      label="Project"
      required
      searchable
      data={options}
      filter={({ options: all }) => all}
      value={value}
      error={error}
      onChange={onChange}
      onSearchChange={(text) => setTyped(options.some(({ label }) => label === text) ? '' : text)}
      nothingFoundMessage="No project found"
    />
  );
}
