export type ModelKind = 'detector' | 'interactor' | 'tracker' | 'reid';

/** A label that a function finds. */
export interface ModelLabel {
  readonly name: string;
  /** Type of its shapes; `any` if the function does not fix it. */
  readonly type: string;
  readonly attributes: readonly {
    readonly name: string;
    readonly input_type: string;
    readonly values: readonly string[];
  }[];
  readonly sublabels?: readonly ModelLabel[];
}

/** A function that annotates, as `/api/lambda/functions` describes it. */
export interface Model {
  /** Functions of agents have their number as a text. */
  readonly id: string;
  readonly kind: ModelKind;
  readonly name: string;
  readonly description: string;
  /** Of detectors; empty for other kinds. */
  readonly labels_v2: readonly ModelLabel[];
  readonly version?: number;
  /** `native`: run by agents; others are called over HTTP. */
  readonly provider?: string;
  /** Of functions of agents. */
  readonly updated_date?: string;
  /** Of functions of agents: whether an agent is connected. */
  readonly has_agent?: boolean;
  /** Of interactors. */
  readonly min_pos_points?: number;
  /** Of interactors; -1: without negative points. */
  readonly min_neg_points?: number;
  /** Whether an interactor needs a box. */
  readonly startswith_box?: boolean;
  /** Whether an interactor accepts a box. */
  readonly startswith_box_optional?: boolean;
  readonly help_message?: string;
  /** Of trackers. */
  readonly supported_shape_types?: readonly string[];
}

/** Whether requests for the function wait until somebody starts an agent. */
export const lacksAgent = ({ has_agent: hasAgent }: Model): boolean => hasAgent === false;

/** Whether agents run the function, which was registered with `cvat-cli`. */
export const isNative = ({ provider }: Model): boolean => provider === 'native';

export const KIND_TITLES: Readonly<Record<ModelKind, string>> = {
  detector: 'Detector',
  interactor: 'Interactor',
  tracker: 'Tracker',
  reid: 'Re-identification',
};

export const KIND_TEXTS: Readonly<Record<ModelKind, string>> = {
  detector: 'Finds objects in images.',
  interactor: 'Segments the object that you click on.',
  tracker: 'Follows objects from frame to frame.',
  reid: 'Joins rectangles on successive frames to tracks.',
};

/** The work of a detector on a task or job, as `/api/lambda/requests` describes it. */
export interface ModelRun {
  readonly id: string;
  readonly function: { readonly id: string | null; readonly task: number | null; readonly job?: number };
  readonly status: string;
  /** In percent. */
  readonly progress: number | null;
  /** Why it failed. */
  readonly exc_info: string | null;
}

/** Whether a run is not over. */
export const isRunActive = ({ status }: ModelRun): boolean => status === 'queued' || status === 'started';
