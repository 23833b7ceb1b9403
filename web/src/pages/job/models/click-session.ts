import type { Point } from '#shared/annotations/editing/geometry';
import type { Model } from '../../../components/models/model';

/** What the user has clicked on: points inside and outside of the object, and a box around it. Positions are in pixels of the image. */
export interface Prompt {
  readonly positive: readonly Point[];
  readonly negative: readonly Point[];
  readonly box: readonly [Point, Point] | undefined;
}

/** The prompts that an interactor accepts. */
export interface PromptLimits {
  readonly minPositive: number;
  readonly takesNegative: boolean;
  readonly box: 'none' | 'optional' | 'required';
}

export function limitsOf(model: Model): PromptLimits {
  return {
    minPositive: model.min_pos_points ?? 1,
    takesNegative: (model.min_neg_points ?? -1) >= 0,
    box: model.startswith_box === true ? 'required' : model.startswith_box_optional === true ? 'optional' : 'none',
  };
}

export interface ClickState {
  readonly prompt: Prompt;
  /** The points of the mask for the last prompt that was answered. */
  readonly mask: readonly number[] | undefined;
  readonly isWaiting: boolean;
  /** Whether the function has found nothing for the prompt. */
  readonly isEmpty: boolean;
  /** Why the function did not answer. */
  readonly error: unknown;
}

const NO_PROMPT: Prompt = { positive: [], negative: [], box: undefined };
const START: ClickState = { prompt: NO_PROMPT, mask: undefined, isWaiting: false, isEmpty: false, error: null };

/**
 * Segments an object by clicks. Each change of the prompt is sent once. While a request is running, only the newest prompt
 * is sent next, and answers to older ones are not shown.
 */
export class ClickSession {
  private state = START;
  private readonly done: Prompt[] = [NO_PROMPT];
  private undone: Prompt[] = [];
  private readonly answers = new Map<Prompt, readonly number[] | undefined>();
  private readonly listeners = new Set<() => void>();
  private running = Promise.resolve();
  private isSending = false;
  private isEnded = false;
  /** The prompt that failed last. It is sent again only when the user wants. */
  private failed: Prompt | undefined;

  /** @param ask calls the function. @returns the points of a mask; undefined if it has found nothing */
  constructor(
    private readonly limits: PromptLimits,
    private readonly ask: (prompt: Prompt) => Promise<readonly number[] | undefined>,
  ) {}

  /** For `useSyncExternalStore`. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly snapshot = (): ClickState => this.state;

  /** Whether there is something to finish or to cancel. */
  get hasPrompt(): boolean {
    return this.state.prompt !== NO_PROMPT;
  }

  /** What the user can do next. */
  get advice(): string {
    const { prompt } = this.state;
    const { minPositive, takesNegative, box } = this.limits;
    if (this.isComplete(prompt)) {
      return takesNegative ? 'Click to add, right-click or Shift+click to exclude.' : 'Click to add more points.';
    }
    if (box === 'required' && prompt.box === undefined) return 'Drag a box around the object.';
    const missing = minPositive - prompt.positive.length;
    if (missing < minPositive) return `Click on the object: ${missing} more.`;
    return box === 'optional' ? 'Click on the object, or drag a box around it.' : 'Click on the object.';
  }

  addPoint(at: Point, isPositive: boolean): void {
    const { prompt } = this.state;
    if (!isPositive && !this.limits.takesNegative) return;
    this.change(
      isPositive
        ? { ...prompt, positive: [...prompt.positive, at] }
        : { ...prompt, negative: [...prompt.negative, at] },
    );
  }

  get takesBox(): boolean {
    return this.limits.box !== 'none';
  }

  setBox(from: Point, to: Point): void {
    const box = [
      { x: Math.min(from.x, to.x), y: Math.min(from.y, to.y) },
      { x: Math.max(from.x, to.x), y: Math.max(from.y, to.y) },
    ] as const;
    this.change({ ...this.state.prompt, box });
  }

  /** Takes the last click back. @returns false if there is none */
  undo(): boolean {
    const last = this.done.length > 1 ? this.done.pop() : undefined;
    if (last === undefined) return false;
    this.undone.push(last);
    this.show(this.done.at(-1) ?? NO_PROMPT);
    return true;
  }

  redo(): boolean {
    const next = this.undone.pop();
    if (next === undefined) return false;
    this.done.push(next);
    this.show(next);
    return true;
  }

  /** Sends the prompt again that has failed. */
  retry(): void {
    this.failed = undefined;
    this.show(this.state.prompt);
  }

  /** Waits for the answer to the newest prompt. @returns its mask; undefined if there is none */
  async finished(): Promise<readonly number[] | undefined> {
    await this.running;
    return this.state.error === null ? this.state.mask : undefined;
  }

  /** Answers that arrive later are not shown. */
  end(): void {
    this.isEnded = true;
  }

  private change(prompt: Prompt): void {
    this.done.push(prompt);
    this.undone = [];
    this.show(prompt);
  }

  private show(prompt: Prompt): void {
    const answer = this.answers.get(prompt);
    const isAnswered = this.answers.has(prompt);
    const mask = isAnswered ? answer : this.isComplete(prompt) ? this.state.mask : undefined;
    this.set({ prompt, mask, isEmpty: isAnswered && answer === undefined, error: null });
    if (!this.isSending) this.running = this.send();
  }

  /** Sends prompts until the newest one is answered. */
  private async send(): Promise<void> {
    this.isSending = true;
    for (;;) {
      const { prompt } = this.state;
      const isWanted = this.isComplete(prompt) && !this.answers.has(prompt) && this.failed !== prompt;
      if (this.isEnded || !isWanted) break;
      this.set({ isWaiting: true });
      try {
        const mask = await this.ask(prompt);
        this.answers.set(prompt, mask);
        if (prompt === this.state.prompt) this.set({ mask, isEmpty: mask === undefined });
      } catch (error) {
        if (prompt === this.state.prompt) {
          this.failed = prompt;
          this.set({ error });
        }
      }
    }
    this.isSending = false;
    this.set({ isWaiting: false });
  }

  private isComplete({ positive, box }: Prompt): boolean {
    const { minPositive, box: wanted } = this.limits;
    if (wanted === 'required' && box === undefined) return false;
    if (wanted === 'optional' && box !== undefined && positive.length === 0) return true;
    return positive.length >= minPositive && (positive.length > 0 || box !== undefined);
  }

  private set(values: Partial<ClickState>): void {
    if (this.isEnded) return;
    this.state = { ...this.state, ...values };
    for (const listener of this.listeners) listener();
  }
}
