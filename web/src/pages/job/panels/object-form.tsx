import { Checkbox, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { isSpatial } from '#shared/annotations/editing/geometry';
import type { Attribute } from '../../../app/api';
import { ActionsMenu } from '../../../components/actions-menu';
import type { IconName } from '../../../components/icons';
import type { Action } from '../data/actions';
import { CONVERTED_TYPES, isConvertible } from '../editing/converted-types';
import type { Editor } from '../editing/editor';
import { allowsType } from '../editing/new-objects';
import type { SceneObject } from '../scene/scene';
import { CuboidFields } from './cuboid-fields';

interface ObjectFormProps {
  readonly object: SceneObject;
  readonly frame: number;
  readonly editor: Editor;
  readonly isLocked: boolean;
  readonly isPinned: boolean;
  /** Whether other objects are selected, too. */
  readonly isOneOfSeveral: boolean;
  readonly onAction: (action: Action) => void;
}

/** The label, the attributes and the state of the selected object. */
export function ObjectForm(props: ObjectFormProps): ReactNode {
  const { object, frame, editor, isLocked, isPinned, isOneOfSeveral, onAction } = props;
  const { key, kind, type, labelId, occluded, outside, keyframes } = object;
  const fitting = editor.labels.filter((label) => allowsType(label, type) || label.id === labelId);
  const label = editor.labels.find(({ id }) => id === labelId);
  const set = (title: string, change: { occluded?: boolean; outside?: boolean }): void =>
    editor.changeShape(title, key, frame, change);
  return (
    <Stack gap={6} my={6}>
      <Select
        size="xs"
        label="Label"
        allowDeselect={false}
        searchable
        disabled={isLocked}
        data={fitting.map(({ id, name }) => ({ value: String(id), label: name ?? '' }))}
        value={String(labelId)}
        onChange={(value) => (value === null ? undefined : editor.setLabel(key, Number(value)))}
      />
      {(label?.attributes ?? []).map((attribute) => (
        <AttributeField
          key={attribute.id}
          attribute={attribute}
          isLocked={isLocked}
          value={object.attributes.find(({ id }) => id === attribute.id)?.value ?? attribute.default_value ?? ''}
          onChange={(value) => editor.setAttribute(key, frame, { spec_id: attribute.id ?? 0, value })}
        />
      ))}
      {isSpatial(object) && (
        <CuboidFields
          object={object}
          isLocked={isLocked}
          isPinned={isPinned}
          onChange={(title, points) => editor.reshape(title, key, frame, () => ({ points, rotation: 0 }))}
        />
      )}
      {object.elements.map((element, at) => (
        <Group key={`${at} ${element.labelName}`} gap="xs" wrap="nowrap" role="group" aria-label={element.labelName}>
          <Text size="xs" flex={1} truncate>
            {element.labelName}
          </Text>
          {ELEMENT_STATES.map((state) => (
            <Checkbox
              key={state}
              size="xs"
              label={state === 'occluded' ? 'Occluded' : 'Outside'}
              checked={element[state]}
              disabled={isLocked}
              onChange={() => editor.changeElement(key, frame, at, { [state]: !element[state] })}
            />
          ))}
        </Group>
      ))}
      <Group gap="md">
        {kind !== 'tag' && (
          <Checkbox
            size="xs"
            label="Occluded"
            checked={occluded}
            disabled={isLocked}
            onChange={() => set('Change occlusion', { occluded: !occluded })}
          />
        )}
        {kind === 'track' && (
          <>
            <Checkbox
              size="xs"
              label="Outside"
              checked={outside}
              disabled={isLocked}
              onChange={() => set('Change outside', { outside: !outside })}
            />
            <Checkbox
              size="xs"
              label="Keyframe"
              checked={keyframes.includes(frame)}
              disabled={isLocked || (keyframes.length === 1 && keyframes.includes(frame))}
              onChange={() => editor.toggleKeyframe(key, frame)}
            />
          </>
        )}
        <Checkbox size="xs" label="Locked" checked={isLocked} onChange={() => onAction('toggle-lock')} />
        {kind !== 'tag' && (
          <Checkbox size="xs" label="Pinned" checked={isPinned} onChange={() => onAction('toggle-pin')} />
        )}
      </Group>
      <ActionsMenu
        of="the selected object"
        wide
        actions={menuOf(object, isOneOfSeveral).map(([title, icon, action]) => ({
          title,
          icon,
          onClick: () => onAction(action),
        }))}
      />
    </Stack>
  );
}

const ELEMENT_STATES = ['occluded', 'outside'] as const;

type MenuEntry = readonly [title: string, icon: IconName, action: Action];

function menuOf({ kind, type, points }: SceneObject, isOneOfSeveral: boolean): readonly MenuEntry[] {
  const entries: MenuEntry[] = [];
  if (type === 'mask') entries.push(['Edit the mask', 'brush', 'edit-mask']);
  else if (kind !== 'tag' && !isSpatial({ type, points })) entries.push(['Redraw', 'brush', 'redraw']);
  if (type === 'cuboid' && !isSpatial({ type, points })) {
    entries.push(
      ['Show the other side', 'refresh', 'other-side'],
      ['Reset the perspective', 'cuboid', 'no-perspective'],
    );
  }
  if (kind === 'shape') {
    if (type === 'polygon' || type === 'mask') {
      if (isOneOfSeveral) entries.push(['Join', 'polygonPlus', 'join']);
      entries.push(['Slice', 'polygonMinus', 'slice']);
    }
    for (const to of CONVERTED_TYPES) {
      if (isConvertible(type, to)) entries.push([`Convert to ${to}`, to, `to-${to}`]);
    }
  }
  if (kind === 'track') entries.push(['Split at this frame', 'forward', 'split']);
  if (type === 'polygon' || type === 'polyline') entries.push(['Reverse the outline', 'refresh', 'reverse']);
  if (kind !== 'tag') {
    if (!isSpatial({ type, points })) entries.push(['Crop to the image', 'fit', 'crop']);
    entries.push(['Copy', 'copy', 'copy'], ['Copy to other frames', 'arrowRight', 'propagate']);
  }
  entries.push(['Group', 'group', 'group'], ['Remove from group', 'close', 'ungroup']);
  entries.push(['Delete', 'trash', 'delete']);
  return entries;
}

interface AttributeFieldProps {
  readonly attribute: Attribute;
  readonly isLocked: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function AttributeField({ attribute, isLocked, value, onChange }: AttributeFieldProps): ReactNode {
  const { name, input_type: type, values } = attribute;
  switch (type) {
    case 'checkbox':
      return (
        <Checkbox
          size="xs"
          label={name}
          disabled={isLocked}
          checked={value === 'true'}
          onChange={(event) => onChange(String(event.currentTarget.checked))}
        />
      );
    case 'select':
    case 'radio':
      return (
        <Select
          size="xs"
          label={name}
          disabled={isLocked}
          allowDeselect={false}
          data={values}
          value={value}
          onChange={(chosen) => (chosen === null ? undefined : onChange(chosen))}
        />
      );
    case 'number': {
      const [min = 0, max = 0, step = 1] = values.map(Number);
      return (
        <NumberInput
          size="xs"
          label={name}
          disabled={isLocked}
          min={min}
          max={max}
          step={step}
          value={value}
          onChange={(entered) => (entered === '' ? undefined : onChange(String(entered)))}
        />
      );
    }
    default:
      return (
        <TextInput
          size="xs"
          label={name}
          disabled={isLocked}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}
