import { ActionIcon, Badge, NumberInput, Slider, Text, UnstyledButton } from '@mantine/core';
import { memo, type ReactNode, type RefObject, useMemo, useState } from 'react';
import { Hint } from '../../../components/hint';
import { Icon, type IconName } from '../../../components/icons';
import type { Speed } from '../data/review';
import type { Action } from '../data/actions';
import type { FrameSet } from '../frames/frame-set';
import { useSettings } from '../settings/settings';
import { useTitleWithKeys } from '../settings/use-shortcuts';
import classes from './player.module.css';
import { SpeedMenu } from './speed-menu';

interface PlayerProps {
  readonly frames: FrameSet;
  readonly frame: number;
  readonly isPlaying: boolean;
  readonly speed: Speed;
  /** Undefined if the frames have no thumbnails. */
  readonly hasFilmstrip: boolean | undefined;
  readonly hasTimeline: boolean;
  /** Frames with annotations, with issues, with conflicts, and with keyframes of the selected track. */
  readonly annotated: ReadonlySet<number>;
  readonly issues: ReadonlySet<number>;
  readonly conflicts: ReadonlySet<number>;
  readonly keyframes: readonly number[];
  /** Whether the user can delete and restore frames. */
  readonly mayDelete: boolean;
  readonly numberInput: RefObject<HTMLInputElement | null>;
  readonly onAction: (action: Action) => void;
  readonly onGo: (frame: number) => void;
  readonly onSpeed: (speed: Speed) => void;
}

interface PlayerButtonProps {
  readonly icon: IconName;
  readonly title: string;
  readonly tooltip: string;
  readonly action: Action;
  /** Makes it a toggle button. */
  readonly isOn: boolean | undefined;
  readonly onAction: (action: Action) => void;
}

/** The buttons look the same on every frame, so another frame does not render them again. */
const PlayerButton = memo(function PlayerButton(props: PlayerButtonProps): ReactNode {
  const { icon, title, tooltip, action, isOn, onAction } = props;
  return (
    <Hint label={tooltip}>
      <ActionIcon
        variant={isOn === true ? 'filled' : 'subtle'}
        color={isOn === true ? 'slate' : 'gray'}
        size={32}
        className={action.endsWith('-far') ? (classes['far'] ?? '') : ''}
        aria-label={title}
        {...(isOn === undefined ? {} : { 'aria-pressed': isOn })}
        onClick={() => onAction(action)}
      >
        <Icon name={icon} />
      </ActionIcon>
    </Hint>
  );
});

/** Navigation through the frames. */
export function Player(props: PlayerProps): ReactNode {
  const { frames, frame, isPlaying, speed, hasFilmstrip, hasTimeline, mayDelete, onAction, onGo, onSpeed } = props;
  const { name } = frames.info(frame);
  const position = frames.position(frame);
  const withKeys = useTitleWithKeys();
  const { frameStep } = useSettings();
  const button = (icon: IconName, title: string, action: Action, isOn?: boolean): ReactNode => (
    <PlayerButton
      icon={icon}
      title={title}
      tooltip={withKeys(title, action)}
      action={action}
      isOn={isOn}
      onAction={onAction}
    />
  );
  return (
    <section className={classes['player']} aria-label="Frames">
      <div className={classes['steps']}>
        {button('first', 'First frame', 'first')}
        {button('backFar', `${frameStep} frames back`, 'back-far')}
        {button('back', 'Previous frame', 'back')}
        <ActionIcon
          variant="filled"
          size={36}
          radius="xl"
          aria-label={isPlaying ? 'Pause' : 'Play'}
          onClick={() => onAction('play')}
        >
          <Icon name={isPlaying ? 'pause' : 'play'} />
        </ActionIcon>
        {button('forward', 'Next frame', 'forward')}
        {button('forwardFar', `${frameStep} frames forward`, 'forward-far')}
        {button('last', 'Last frame', 'last')}
        <SpeedMenu speed={speed} onSpeed={onSpeed} />
      </div>
      <div className={classes['track']}>
        <Marks {...props} />
        <Slider
          size="sm"
          thumbLabel="Frame"
          label={(at) => `Frame ${frames.numbers[at] ?? ''}`}
          min={0}
          max={Math.max(frames.count - 1, 1)}
          disabled={frames.count < 2}
          value={position}
          onChange={(at) => onGo(frames.numbers[at] ?? frame)}
        />
      </div>
      <FrameNumber {...props} />
      {frames.haveNames && (
        <Hint label={withKeys('Find a frame by file name', 'find-frame')}>
          <UnstyledButton
            className={classes['file']}
            aria-label={`${name}: find a frame by file name`}
            onClick={() => onAction('find-frame')}
          >
            <Icon name="search" size={16} />
            <span className={classes['file-name']} title={name}>
              <bdi>{name}</bdi>
            </span>
          </UnstyledButton>
        </Hint>
      )}
      {frames.isDeleted(frame) && (
        <Badge color="red" variant="filled" radius="sm" className={classes['deleted-badge']}>
          Deleted
        </Badge>
      )}
      {mayDelete &&
        (frames.isDeleted(frame)
          ? button('refresh', 'Restore frame', 'delete-frame')
          : button('trash', 'Delete frame', 'delete-frame'))}
      {button('keyframes', 'Keyframes of tracks', 'timeline', hasTimeline)}
      {hasFilmstrip !== undefined && button('film', 'Filmstrip', 'filmstrip', hasFilmstrip)}
    </section>
  );
}

function FrameNumber({ frames, frame, numberInput, onGo }: PlayerProps): ReactNode {
  const [text, setText] = useState<string | number>(frame);
  const [last, setLast] = useState(frame);
  // In the same rendering: an effect would render the field twice for every frame.
  if (last !== frame) {
    setLast(frame);
    setText(frame);
  }
  const go = (): void => {
    if (typeof text === 'number') onGo(text);
    else setText(frame);
  };
  return (
    <div className={classes['number']}>
      <NumberInput
        ref={numberInput}
        aria-label="Go to frame"
        size="xs"
        w={64}
        hideControls
        allowDecimal={false}
        allowNegative={false}
        value={text}
        onChange={setText}
        onBlur={go}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setText(frame);
        }}
      />
      <Text size="xs" c="dimmed" textWrap="nowrap" className={classes['range']}>
        of {frames.first}–{frames.last}
      </Text>
    </div>
  );
}

/** Marks annotations, keyframes, issues, conflicts and deleted frames on the slider. */
function Marks({ frames, annotated, issues, conflicts, keyframes }: PlayerProps): ReactNode {
  const rows = useMemo(() => {
    const deleted = frames.numbers.filter((number) => frames.isDeleted(number));
    return [
      { name: 'annotated', path: marksPath(frames, annotated, 4) },
      { name: 'deleted', path: marksPath(frames, deleted, 4) },
      { name: 'keyframes', path: marksPath(frames, keyframes, 0) },
      { name: 'issues', path: marksPath(frames, issues, 8) },
      { name: 'conflicts', path: marksPath(frames, conflicts, 0) },
    ];
  }, [frames, annotated, issues, conflicts, keyframes]);
  return (
    <svg
      className={classes['marks']}
      viewBox={`0 0 ${Math.max(frames.count, 1)} 12`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {rows.map(({ name, path }) => path !== '' && <path key={name} className={classes[name]} d={path} />)}
    </svg>
  );
}

/** A bar for each run of consecutive frames. */
function marksPath(frames: FrameSet, numbers: Iterable<number>, top: number): string {
  const positions = [...numbers].map((number) => frames.position(number)).filter((position) => position >= 0);
  positions.sort((a, b) => a - b);
  let path = '';
  for (let i = 0; i < positions.length;) {
    const start = positions[i] ?? 0;
    let length = 1;
    while (positions[i + length] === start + length) length += 1;
    path += `M${start} ${top}h${length}v3h${-length}z`;
    i += length;
  }
  return path;
}
