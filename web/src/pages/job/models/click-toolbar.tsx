import { Button, Loader, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { type Dispatch, type ReactNode, useSyncExternalStore } from 'react';
import { explain } from '../../../app/problems';
import { Hint } from '../../../components/hint';
import type { Model } from '../../../components/models/model';
import type { Action } from '../data/actions';
import type { Step } from '../data/review';
import toolbar from '../panels/mask-toolbar.module.css';
import { useTitleWithKeys } from '../settings/use-shortcuts';
import type { ClickDrawing } from './click-drawing';
import type { Clicks } from './use-clicks';

interface ClickToolbarProps {
  readonly clicks: Clicks;
  readonly drawing: ClickDrawing;
  readonly interactors: readonly Model[];
  readonly onAction: (action: Action) => void;
  readonly onStep: Dispatch<Step>;
}

/** The options of the tool that segments by clicks, and what the function answers. */
export function ClickToolbar({ clicks, drawing, interactors, onAction, onStep }: ClickToolbarProps): ReactNode {
  const { model, labels, label, results, asPolygons } = clicks;
  const withKeys = useTitleWithKeys();
  return (
    <div className={toolbar['bar']} role="toolbar" aria-label="Segment by clicks">
      {interactors.length > 1 && (
        <NativeSelect
          size="xs"
          aria-label="Function"
          data={interactors.map(({ id, name }) => ({ value: id, label: name }))}
          value={model?.id ?? ''}
          onChange={({ currentTarget }) => clicks.chooseModel(currentTarget.value)}
        />
      )}
      <NativeSelect
        size="xs"
        aria-label="Label of the object"
        data={labels.map(({ id, name }) => ({ value: String(id), label: name ?? '' }))}
        value={String(label?.id ?? '')}
        onChange={({ currentTarget: { value } }) => {
          const selected = labels.find(({ id }) => id === Number(value));
          if (selected !== undefined) onStep({ do: 'select-label', label: selected });
        }}
      />
      {results.length > 1 && (
        <SegmentedControl
          size="xs"
          aria-label="Result"
          transitionDuration={0}
          data={[
            { value: 'mask', label: 'Mask' },
            { value: 'polygon', label: 'Polygon' },
          ]}
          value={asPolygons ? 'polygon' : 'mask'}
          onChange={(value) => clicks.setAsPolygons(value === 'polygon')}
        />
      )}
      <Hint label={withKeys('Finish', 'draw')}>
        <Button size="compact-sm" onClick={() => onAction('draw')}>
          Finish
        </Button>
      </Hint>
      <Hint label={withKeys('Discard the clicks', 'cancel')}>
        <Button size="compact-sm" variant="default" onClick={() => onAction('cancel')}>
          Cancel
        </Button>
      </Hint>
      <State drawing={drawing} />
    </div>
  );
}

/** What to do next, or what went wrong. */
function State({ drawing: { session } }: { readonly drawing: ClickDrawing }): ReactNode {
  const { isWaiting, isEmpty, error } = useSyncExternalStore(session.subscribe, session.snapshot);
  if (error !== null) {
    const { title, text } = explain(error);
    return (
      <>
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {title}. {text}
        </Text>
        <Button size="compact-sm" variant="default" onClick={() => session.retry()}>
          Try again
        </Button>
      </>
    );
  }
  return (
    <>
      {isWaiting && <Loader size="xs" color="gray" aria-hidden />}
      <Text size="sm" role="status">
        {isWaiting ? 'Segmenting …' : isEmpty ? 'Nothing was found here. Add or remove clicks.' : session.advice}
      </Text>
    </>
  );
}
