import { Button, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';
import { Icon } from './icons';
import type { ListState } from './list-state';

interface Option {
  readonly value: string;
  readonly label: string;
}

interface ListToolbarProps {
  readonly list: ListState;
  /** What the list contains, such as "tasks". */
  readonly what: string;
  readonly withSearch?: boolean;
  /** Names the fields that are searched. */
  readonly placeholder?: string;
  readonly sorts?: readonly Option[];
  readonly filters?: readonly FilterChoice[];
  readonly children?: ReactNode;
}

/** A filter with a fixed set of values. */
export interface FilterChoice {
  /** Query parameter. */
  readonly name: string;
  readonly label: string;
  readonly options: readonly Option[];
}

const TYPING_MS = 300;

/** Search, filters and sort order of a list. */
export function ListToolbar({
  list,
  what,
  withSearch = true,
  placeholder = 'Name, owner, assignee, status …',
  sorts = [],
  filters = [],
  children,
}: ListToolbarProps): ReactNode {
  return (
    <div className="toolbar" role="search" aria-label={`Find ${what}`}>
      {withSearch && <SearchField list={list} what={what} placeholder={placeholder} />}
      {filters.map((filter) => (
        <Select
          key={filter.name}
          label={filter.label}
          size="sm"
          w={150}
          placeholder="Any"
          clearable
          data={[...filter.options]}
          value={list.filter(filter.name) || null}
          onChange={(value) => list.set({ [filter.name]: value ?? '' })}
        />
      ))}
      {children}
      {sorts.length > 0 && (
        <Select
          label="Sort by"
          size="sm"
          w={170}
          allowDeselect={false}
          data={[...sorts]}
          value={list.sort}
          onChange={(value) => list.set({ sort: value ?? '' })}
        />
      )}
      {list.isFiltered && (
        <Button variant="subtle" size="sm" onClick={list.clear}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

function SearchField({
  list,
  what,
  placeholder,
}: Pick<ListToolbarProps, 'list' | 'what'> & { readonly placeholder: string }): ReactNode {
  const [text, setText] = useState(list.search);
  const search = useDebouncedCallback((value: string) => list.set({ search: value.trim() }), TYPING_MS);
  useEffect(() => {
    setText((typed) => (typed.trim() === list.search ? typed : list.search)); // filters were cleared, or the browser went back
  }, [list.search]);
  return (
    <TextInput
      className="toolbar__search"
      type="search"
      label={`Search ${what}`}
      placeholder={placeholder}
      leftSection={<Icon name="search" size={16} />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        search(event.currentTarget.value);
      }}
    />
  );
}
