import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { unwrap } from 'cairn-client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, type BasicUser } from '../app/api';
import { useUser } from '../app/session';
import { displayName } from './person';

interface UserSelectProps {
  readonly label: string;
  /** Shows the label to screen readers only. */
  readonly hiddenLabel?: boolean;
  /** Undefined if nothing is selected, where `onClear` makes a difference between that and nobody. */
  readonly value: BasicUser | null | undefined;
  readonly onChange: (user: BasicUser | null) => void;
  /** Called when the field is cleared. With it, nobody is one of the options. */
  readonly onClear?: () => void;
  readonly size?: 'xs' | 'sm';
  readonly disabled?: boolean;
  /** Error message for the field. */
  readonly error?: string | undefined;
  /** Shown while nobody is selected. */
  readonly placeholder?: string;
  readonly w?: number | string;
}

const TYPING_MS = 250;
const NOBODY = 'nobody';

/** Selects a member of the organization, oneself in the personal space, or nobody. */
export function UserSelect({
  label,
  hiddenLabel = false,
  value,
  onChange,
  onClear,
  size = 'sm',
  disabled = false,
  error,
  placeholder = 'Nobody',
  w,
}: UserSelectProps): ReactNode {
  const self = useUser();
  const [search, setSearch] = useState('');
  const isSelected = value != null && [displayName(value), labelOf(value, self)].includes(search);
  const [query] = useDebouncedValue(isSelected ? '' : search.trim(), TYPING_MS);
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery({
    queryKey: ['users', 'search', query],
    queryFn: async ({ signal }) => {
      const parameters = { page_size: '20', sort: 'username', ...(query === '' ? {} : { search: query }) };
      return unwrap(await api.GET('/api/users', { params: { query: parameters }, signal })).results;
    },
    placeholderData: keepPreviousData,
    enabled: isOpen,
  });
  const known = new Map(
    [value, query === '' ? self : null, ...(data ?? [])].flatMap((user) =>
      user == null ? [] : [[String(user.id), user]],
    ),
  );
  const isNobody = value === null && onClear !== undefined;
  const selected = value == null ? (isNobody ? NOBODY : null) : String(value.id);
  const shown = value == null ? (isNobody ? 'Nobody' : '') : displayName(value);
  return (
    <Select
      label={hiddenLabel ? undefined : label}
      aria-label={hiddenLabel ? label : undefined}
      size={size}
      {...(w === undefined ? {} : { w })}
      placeholder={placeholder}
      clearable
      searchable
      disabled={disabled}
      error={error}
      data={[
        ...(onClear === undefined ? [] : [{ value: NOBODY, label: 'Nobody' }]),
        ...Array.from(known, ([id, user]) => ({ value: id, label: labelOf(user, self) })),
      ]}
      filter={({ options }) => options} // the server does the search
      value={selected}
      onChange={(id) => (id === null && onClear !== undefined ? onClear() : onChange(known.get(id ?? NOBODY) ?? null))}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      searchValue={isOpen ? search : shown}
      onSearchChange={setSearch}
      nothingFoundMessage="No users found"
    />
  );
}

const labelOf = (user: BasicUser, self: { readonly id: number }): string =>
  user.id === self.id ? `${displayName(user)} (you)` : displayName(user);
