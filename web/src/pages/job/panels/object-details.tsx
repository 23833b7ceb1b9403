import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Review, Step } from '../data/review';
import type { Action } from '../data/actions';
import type { Editor } from '../editing/editor';
import { numberOf } from '../scene/object-list';
import type { NamedValue, SceneObject } from '../scene/scene';
import classes from './object-details.module.css';
import { ObjectForm } from './object-form';

interface ObjectDetailsProps {
  readonly object: SceneObject;
  readonly review: Review;
  /** Undefined if the user cannot change annotations. */
  readonly editor: Editor | undefined;
  readonly onAction: (action: Action) => void;
  readonly onStep: (step: Step) => void;
}

/** Attributes and keyframes of the selected object. */
export function ObjectDetails({ object, review, editor, onAction, onStep }: ObjectDetailsProps): ReactNode {
  const { frame } = review;
  const { labelName, id, attributes, elements, keyframes, source, group, zOrder, rotation } = object;
  const before = keyframes.findLast((keyframe) => keyframe < frame);
  const after = keyframes.find((keyframe) => keyframe > frame);
  const facts: NamedValue[] = [
    { name: 'Source', value: source },
    { name: 'Layer', value: String(zOrder) },
    ...(group === 0 ? [] : [{ name: 'Group', value: String(group) }]),
    ...(rotation === 0 ? [] : [{ name: 'Rotation', value: `${Math.round(rotation * 10) / 10}°` }]),
    ...(keyframes.length === 0 ? [] : [{ name: 'Keyframes', value: String(keyframes.length) }]),
  ];
  return (
    <section className={classes['details']} aria-label="Selected object">
      <Text fw={650} size="sm">
        {labelName} {numberOf(id)}
      </Text>
      {review.selected.length > 1 && (
        <Text size="xs" c="dimmed">
          {review.selected.length} objects are selected. Actions apply to all of them.
        </Text>
      )}
      {editor === undefined ? (
        <Values values={attributes} />
      ) : (
        <ObjectForm
          object={object}
          frame={frame}
          editor={editor}
          isLocked={review.locked.has(object.key)}
          isPinned={review.pinned.has(object.key)}
          isOneOfSeveral={review.selected.length > 1}
          onAction={onAction}
        />
      )}
      <Values values={facts} />
      {elements.length > 0 && editor === undefined && (
        <dl className={classes['values']}>
          {elements.map((element, at) => (
            <div key={`${at} ${element.labelName}`}>
              <dt>{element.labelName}</dt>
              <dd>
                {[
                  ...element.attributes.map(({ name, value }) => `${name}: ${value}`),
                  ...(element.occluded ? ['occluded'] : []),
                  ...(element.outside ? ['outside'] : []),
                ].join(', ') || 'visible'}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {keyframes.length > 0 && (
        <div className={classes['keyframing']}>
          <KeyframeButton
            title="First keyframe"
            to={keyframes[0] === frame ? undefined : keyframes[0]}
            onStep={onStep}
          />
          <KeyframeButton title="Previous keyframe" to={before} onStep={onStep} />
          <KeyframeButton title="Next keyframe" to={after} onStep={onStep} />
          <KeyframeButton
            title="Last keyframe"
            to={keyframes.at(-1) === frame ? undefined : keyframes.at(-1)}
            onStep={onStep}
          />
        </div>
      )}
    </section>
  );
}

interface KeyframeButtonProps {
  readonly title: string;
  readonly to: number | undefined;
  readonly onStep: (step: Step) => void;
}

const KeyframeButton = ({ title, to, onStep }: KeyframeButtonProps): ReactNode => (
  <Button
    size="compact-sm"
    variant="default"
    disabled={to === undefined}
    onClick={() => (to === undefined ? undefined : onStep({ do: 'go', to }))}
  >
    {title}
  </Button>
);

function Values({ values }: { readonly values: readonly NamedValue[] }): ReactNode {
  if (values.length === 0) return null;
  return (
    <dl className={classes['values']}>
      {values.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value === '' ? '–' : value}</dd>
        </div>
      ))}
    </dl>
  );
}
