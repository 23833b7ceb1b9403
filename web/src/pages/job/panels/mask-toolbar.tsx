import { ActionIcon, Button, Checkbox, NumberInput, SegmentedControl } from '@mantine/core';
import { type ReactNode, useSyncExternalStore } from 'react';
import { Hint } from '../../../components/hint';
import { Icon, type IconName } from '../../../components/icons';
import type { Action } from '../data/actions';
import { MASK_MODES, type MaskMode, MAX_BRUSH } from '../editing/mask-options';
import { useTitleWithKeys } from '../settings/use-shortcuts';
import type { Masks } from '../use-masks';
import classes from './mask-toolbar.module.css';

const MODES: Readonly<Record<MaskMode, { readonly title: string; readonly icon: IconName }>> = {
  brush: { title: 'Brush', icon: 'brush' },
  eraser: { title: 'Eraser', icon: 'eraser' },
  'polygon-plus': { title: 'Add polygon', icon: 'polygonPlus' },
  'polygon-minus': { title: 'Subtract polygon', icon: 'polygonMinus' },
};

interface MaskToolbarProps {
  readonly masks: Masks;
  readonly onAction: (action: Action) => void;
}

/** The tools and options for the mask being drawn, above the canvas. */
export function MaskToolbar({ masks: { options, edited, isConvertible }, onAction }: MaskToolbarProps): ReactNode {
  const values = useSyncExternalStore(options.subscribe, options.snapshot);
  const { mode, size, form, removesUnderlying, convertsToPolygons, isHidden } = values;
  const withKeys = useTitleWithKeys();
  const toggle = (title: string, icon: IconName, isOn: boolean, action: Action): ReactNode => (
    <Hint key={title} label={withKeys(title, action)}>
      <ActionIcon
        size={30}
        variant={isOn ? 'filled' : 'subtle'}
        color={isOn ? 'slate' : 'gray'}
        aria-label={title}
        aria-pressed={isOn}
        onClick={() => onAction(action)}
      >
        <Icon name={icon} size={18} />
      </ActionIcon>
    </Hint>
  );
  return (
    <div className={classes['bar']} role="toolbar" aria-label={edited === undefined ? 'New mask' : 'Edited mask'}>
      {MASK_MODES.map((one) => toggle(MODES[one].title, MODES[one].icon, mode === one, `mask-${one}`))}
      <NumberInput
        className={classes['size'] ?? ''}
        size="xs"
        aria-label="Brush size in pixels"
        min={1}
        max={MAX_BRUSH}
        allowDecimal={false}
        allowNegative={false}
        suffix=" px"
        value={size}
        onChange={(value) => {
          if (typeof value === 'number' && value >= 1) options.set({ size: Math.min(MAX_BRUSH, value) });
        }}
      />
      <SegmentedControl
        size="xs"
        aria-label="Shape of the brush"
        transitionDuration={0}
        data={[
          { value: 'round', label: 'Round' },
          { value: 'square', label: 'Square' },
        ]}
        value={form}
        onChange={(value) => options.set({ form: value === 'square' ? 'square' : 'round' })}
      />
      {toggle('Hide the mask being drawn', isHidden ? 'eyeOff' : 'eye', isHidden, 'hide-object')}
      <Checkbox
        size="xs"
        label="Remove underlying pixels"
        checked={removesUnderlying}
        onChange={({ currentTarget }) => options.set({ removesUnderlying: currentTarget.checked })}
      />
      {isConvertible && (
        <Checkbox
          size="xs"
          label="Convert to polygons"
          checked={convertsToPolygons}
          onChange={({ currentTarget }) => options.set({ convertsToPolygons: currentTarget.checked })}
        />
      )}
      <Hint label={withKeys('Finish', 'draw')}>
        <Button size="compact-sm" onClick={() => onAction('draw')}>
          Finish
        </Button>
      </Hint>
      <Hint label={withKeys('Discard the mask', 'cancel')}>
        <Button size="compact-sm" variant="default" onClick={() => onAction('cancel')}>
          Cancel
        </Button>
      </Hint>
    </div>
  );
}
