import { ActionIcon, CloseButton, Indicator, NativeSelect, SegmentedControl, Slider, TextInput } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { counted } from '../../../components/counted';
import { Hint } from '../../../components/hint';
import { Icon } from '../../../components/icons';
import type { Action } from '../data/actions';
import type { Step } from '../data/review';
import type { Sort } from '../scene/object-filter';
import type { ColorBy } from '../scene/scene';
import { changeSettings, useSettings } from '../settings/settings';
import { useTitleWithKeys } from '../settings/use-shortcuts';
import classes from './objects-panel.module.css';

const SORTS = [
  { value: 'layer', label: 'By layer' },
  { value: 'id', label: 'By ID' },
  { value: 'time', label: 'By change' },
];
const COLORINGS = [
  { value: 'label', label: 'Label' },
  { value: 'object', label: 'Object' },
  { value: 'group', label: 'Group' },
];

interface ListOptionsProps {
  readonly search: string;
  /** Number of conditions of the filter. */
  readonly conditions: number;
  readonly onAction: (action: Action) => void;
  readonly onStep: (step: Step) => void;
}

/** Search, filter, order and looks of the objects. They do not depend on the frame, so another frame does not render them again. */
export const ListOptions = memo(function ListOptions(props: ListOptionsProps): ReactNode {
  const { search, conditions, onAction, onStep } = props;
  const { colorBy, fill, sort } = useSettings();
  const withKeys = useTitleWithKeys();
  return (
    <>
      <div className={classes['looks']}>
        <TextInput
          flex={1}
          size="xs"
          aria-label="Search objects"
          placeholder="Search: label, type, #id, attribute"
          value={search}
          onChange={(event) => onStep({ do: 'set', values: { search: event.currentTarget.value } })}
          rightSection={
            search === '' ? null : (
              <CloseButton
                size="xs"
                aria-label="Clear search"
                onClick={() => onStep({ do: 'set', values: { search: '' } })}
              />
            )
          }
        />
        <Hint label={withKeys('Filter objects', 'filter-objects')}>
          <Indicator label={conditions} size={16} disabled={conditions === 0}>
            <ActionIcon
              variant={conditions === 0 ? 'default' : 'filled'}
              size={30}
              aria-label={conditions === 0 ? 'Filter objects' : `Filter objects: ${counted(conditions, 'condition')}`}
              onClick={() => onAction('filter-objects')}
            >
              <Icon name="filter" size={16} />
            </ActionIcon>
          </Indicator>
        </Hint>
        <NativeSelect
          size="xs"
          w={96}
          aria-label="Sort objects by"
          data={SORTS}
          value={sort}
          onChange={(event) => changeSettings({ sort: event.currentTarget.value as Sort })}
        />
      </div>
      <div className={classes['looks']}>
        <SegmentedControl
          size="xs"
          aria-label="Colour by"
          transitionDuration={0}
          data={COLORINGS}
          value={colorBy}
          onChange={(value) => changeSettings({ colorBy: value as ColorBy })}
        />
        <Slider
          className={classes['fill']}
          size="sm"
          thumbLabel="Opacity"
          label={(value) => `Opacity ${value} %`}
          min={0}
          max={100}
          step={5}
          value={Math.round(fill * 100)}
          onChange={(value) => changeSettings({ fill: value / 100 })}
        />
      </div>
    </>
  );
});
