import { ActionIcon, Group, Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { Icon } from '../../../components/icons';
import { activeKey } from '../data/review';
import { DIGITS } from '../data/actions';
import panel from '../panels/panel.module.css';
import { numberOf } from '../scene/object-list';
import { AttributeValue, valuesOf } from './attribute-value';
import { attributesOf, walk, type WalkedJob, withAttributes } from './attribute-walk';
import { type ModeActions, type ModePanelProps, useModeActions } from './mode-actions';

/** Sets attributes: one object and one attribute at a time, and the view is zoomed to the object. */
export function AttributesPanel(props: ModePanelProps): ReactNode {
  const { frames, review, editing, stage, shownFrame, onModeActions, onStep } = props;
  const { editor } = editing;
  const { frame } = review;
  const [attributeAt, setAttributeAt] = useState(0);
  const [isAtEnd, setAtEnd] = useState(false);
  const job: WalkedJob = {
    frames,
    labels: editor.labels,
    hidden: review.hidden,
    at: (number) => editor.index.at(number),
  };
  const here = withAttributes(job, frame);
  const active = activeKey(review);
  const position = here.findIndex(({ key }) => key === active);
  const object = here[position];
  const attributes = object === undefined ? [] : attributesOf(editor.labels, object.labelId);
  const attribute = attributes[Math.min(attributeAt, attributes.length - 1)];
  const isLocked = object !== undefined && review.locked.has(object.key);

  useSelection(here[0]?.key, frame, position >= 0, onStep);
  useZoom(stage, object, shownFrame === frame);

  const go = (by: 1 | -1): void => {
    const next = walk(job, { frame, key: active }, by);
    setAtEnd(next === undefined);
    if (next === undefined) return;
    onStep({ do: 'go', to: next.frame });
    onStep({ do: 'select', key: next.key });
  };
  const turn = (by: 1 | -1): void => {
    if (attributes.length === 0) return;
    const at = Math.min(attributeAt, attributes.length - 1);
    setAttributeAt((at + by + attributes.length) % attributes.length);
  };
  const set = (value: string): void => {
    if (object === undefined || attribute?.id === undefined || isLocked) return;
    editor.setAttribute(object.key, frame, { spec_id: attribute.id, value });
  };
  const actions: ModeActions = {
    'next-object': () => go(1),
    'previous-object': () => go(-1),
    'next-attribute': () => turn(1),
    'previous-attribute': () => turn(-1),
  };
  const values = attribute === undefined ? [] : (valuesOf(attribute) ?? []);
  for (const [at, digit] of DIGITS.entries()) {
    const value = values[at];
    if (value !== undefined) actions[`choose-${digit}`] = () => set(value);
  }
  useModeActions(onModeActions, actions);

  return (
    <>
      <div className={panel['filter']}>
        <Stepper
          title={object === undefined ? 'No object selected' : `${object.labelName} ${numberOf(object.id)}`}
          detail={detailOf(here.length, position, frame)}
          what="object"
          onStep={go}
        />
        {attribute !== undefined && (
          <Stepper
            title={attribute.name}
            detail={`${attributes.indexOf(attribute) + 1} of ${attributes.length}${isLocked ? ', locked' : ''}`}
            what="attribute"
            onStep={turn}
          />
        )}
        <Text size="xs" c="dimmed" role="status">
          {isAtEnd && 'There are no more objects with attributes in this direction.'}
        </Text>
      </div>
      <div className={panel['scroll']}>
        {object !== undefined && attribute !== undefined && (
          <AttributeValue
            key={`${object.key} ${attribute.id} ${frame}`}
            attribute={attribute}
            value={object.attributes.find(({ id }) => id === attribute.id)?.value ?? attribute.default_value ?? ''}
            isLocked={isLocked}
            onChange={set}
            onKey={(action) => actions[action]?.()}
          />
        )}
      </div>
    </>
  );
}

const detailOf = (count: number, position: number, frame: number): string => {
  if (count === 0) return `No object on frame ${frame} has attributes`;
  return position < 0 ? `${count} on frame ${frame}` : `${position + 1} of ${count} on frame ${frame}`;
};

/** Selects the first object of a frame unless one is selected there. */
function useSelection(
  first: string | undefined,
  frame: number,
  hasSelection: boolean,
  onStep: ModePanelProps['onStep'],
): void {
  const [entered, setEntered] = useState<number>();
  useEffect(() => {
    if (entered === frame) return;
    setEntered(frame);
    if (!hasSelection && first !== undefined) onStep({ do: 'select', key: first });
  }, [entered, frame, hasSelection, first, onStep]);
}

/** Zooms to an object when it is selected and when its frame is shown, but not while it is edited. */
function useZoom(
  stage: ModePanelProps['stage'],
  object: ReturnType<typeof withAttributes>[number] | undefined,
  isShown: boolean,
): void {
  const key = object?.key;
  useEffect(() => {
    if (stage === null || object === undefined || !isShown) return;
    stage.camera.focus(object.bounds);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the object differs after each edit
  }, [stage, key, isShown]);
}

interface StepperProps {
  readonly title: string;
  readonly detail: string;
  readonly what: 'object' | 'attribute';
  readonly onStep: (by: 1 | -1) => void;
}

/** The current object or attribute, with buttons for the previous and the next one. */
function Stepper({ title, detail, what, onStep }: StepperProps): ReactNode {
  return (
    <Group gap={6} wrap="nowrap">
      <ActionIcon variant="default" size={28} aria-label={`Previous ${what}`} onClick={() => onStep(-1)}>
        <Icon name="back" size={16} />
      </ActionIcon>
      <div style={{ flex: 1, minWidth: 0, textAlign: 'center' }}>
        <Text size="sm" fw={650} truncate>
          {title}
        </Text>
        <Text size="xs" c="dimmed">
          {detail}
        </Text>
      </div>
      <ActionIcon variant="default" size={28} aria-label={`Next ${what}`} onClick={() => onStep(1)}>
        <Icon name="forward" size={16} />
      </ActionIcon>
    </Group>
  );
}
