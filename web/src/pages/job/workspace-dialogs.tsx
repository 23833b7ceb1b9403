import { type Dispatch, type ReactNode, useMemo, useState } from 'react';
import type { Job, Label } from '../../app/api';
import type { Review, Step } from './data/review';
import { FilterDialog, FindFrameDialog, SettingsDialog, ShortcutsDialog, StatisticsDialog } from './dialogs';
import type { Editor } from './editing/editor';
import type { FrameSet } from './frames/frame-set';
import { PropagateDialog } from './panels/propagate-dialog';

export type DialogName = 'propagate' | 'filter' | 'statistics' | 'find-frame' | 'settings' | 'shortcuts';

/** The dialog that is open. There is at most one. */
interface Dialogs {
  readonly opened: DialogName | null;
  show(name: DialogName): void;
  close(): void;
}

export function useDialogs(): Dialogs {
  const [opened, setOpened] = useState<DialogName | null>(null);
  return useMemo(() => ({ opened, show: setOpened, close: () => setOpened(null) }), [opened]);
}

interface WorkspaceDialogsProps {
  readonly dialogs: Dialogs;
  readonly job: Job;
  readonly frames: FrameSet;
  readonly review: Review;
  readonly editor: Editor | undefined;
  readonly selectedKeys: readonly string[];
  /** Number of objects of the frame that meet the filter. */
  readonly found: number;
  readonly onStep: Dispatch<Step>;
}

const NO_LABELS: readonly Label[] = [];

/** The dialogs of the job page. */
export function WorkspaceDialogs(props: WorkspaceDialogsProps): ReactNode {
  const { dialogs, job, frames, review, editor, selectedKeys, found, onStep } = props;
  const { opened, close } = dialogs;
  return (
    <>
      {opened === 'propagate' && (
        <PropagateDialog
          frames={frames}
          frame={review.frame}
          count={selectedKeys.length}
          onConfirm={(to) => editor?.propagate(selectedKeys, review.frame, to)}
          onClose={close}
        />
      )}
      <FilterDialog
        opened={opened === 'filter'}
        filter={review.filter}
        labels={editor?.labels ?? NO_LABELS}
        found={found}
        onChange={(filter) => onStep({ do: 'set', values: { filter } })}
        onClose={close}
      />
      <StatisticsDialog opened={opened === 'statistics'} editor={editor} frames={frames} onClose={close} />
      <FindFrameDialog
        opened={opened === 'find-frame'}
        frames={frames}
        onGo={(to) => onStep({ do: 'go', to })}
        onClose={close}
      />
      <SettingsDialog is3d={job.dimension === '3d'} opened={opened === 'settings'} onClose={close} />
      <ShortcutsDialog dimension={job.dimension} opened={opened === 'shortcuts'} onClose={close} />
    </>
  );
}
