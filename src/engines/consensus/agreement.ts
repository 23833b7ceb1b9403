import type { FrameObject } from '../quality/frame-objects.js';
import type { Steps } from '../concurrency/steps.js';
import { matchedShapes, pairsOf, type PairOptions, type ReplicatedFrame, similarityOf } from './pairs.js';

/**
 * Agreement about tags. Each frame and each label that is used as a tag are one decision: whether the frame has the tag.
 */
export interface TagAgreement {
  /** The number of decisions, each of them taken by two or more annotators. */
  readonly decisions: number;
  /** The share of decisions on which two annotators agree, 0..1; null without decisions. */
  readonly observed: number | null;
  /** Cohen's kappa of a pair, otherwise Fleiss' kappa; at most 1, null where it is not defined. */
  readonly kappa: number | null;
}

/** Agreement about shapes, over all pairs of replicas. */
export interface ShapeAgreement {
  /** The number of shapes in both replicas of each pair. */
  readonly objects: number;
  /** The number of pairs of shapes with the same label that are similar enough. */
  readonly matched: number;
  /** The share of the shapes that are matched, 0..1; null without shapes. */
  readonly share: number | null;
  /** The mean similarity (IoU, or keypoint similarity) of matched shapes, 0..1; null without any. */
  readonly similarity: number | null;
}

export interface Agreement {
  readonly tags: TagAgreement;
  readonly shapes: ShapeAgreement;
}

/** Two annotators, by the keys that jobs have for them. */
export interface PairAgreement extends Agreement {
  readonly annotators: readonly [first: string, second: string];
}

export interface AgreementReport {
  readonly total: Agreement;
  readonly jobs: readonly (Agreement & { readonly jobId: number })[];
  /** Labels that any replica uses. */
  readonly labels: readonly (Agreement & { readonly labelId: number })[];
  readonly pairs: readonly PairAgreement[];
}

/** Counts agreements in one job, frame by frame. */
export class JobAgreement {
  private frames = 0;
  private readonly tags = new Map<number, TagCounts>();
  /** By label, then by the positions of two replicas. */
  private readonly shapes = new Map<number, Map<string, ShapeCounts>>();

  /** @param annotators keys of the annotators of the replicas, which decide whose pairs are added up over jobs */
  constructor(
    readonly jobId: number,
    readonly annotators: readonly string[],
    private readonly options: PairOptions,
  ) {}

  *add(frame: ReplicatedFrame): Steps<void> {
    this.frames += 1;
    this.addTags(frame);
    const similarity = similarityOf(frame, this.options);
    for (const [first, second, firstAt, secondAt] of pairsOf(frame.replicas)) {
      for (const { kind, labelId } of [...first, ...second])
        if (kind !== 'tag') this.shapesOf(labelId, firstAt, secondAt).objects += 1;
      for (const pair of yield* matchedShapes(first, second, this.options.iouThreshold, similarity)) {
        const counts = this.shapesOf(pair.gt.labelId, firstAt, secondAt);
        counts.matched += 1;
        counts.similarity += pair.similarity;
      }
    }
  }

  labels(): { readonly tags: Iterable<number>; readonly shapes: Iterable<number> } {
    return { tags: this.tags.keys(), shapes: this.shapes.keys() };
  }

  /** The votes of all replicas on these labels. */
  votes(labelIds: Iterable<number>): FleissCounts {
    const counts = new FleissCounts(this.annotators.length);
    for (const labelId of labelIds) counts.add(this.frames, this.tags.get(labelId)?.votes ?? []);
    return counts;
  }

  /** The decisions of two replicas on these labels, those of the first one in rows. */
  decisions(firstAt: number, secondAt: number, labelIds: Iterable<number>): CohenCounts {
    const counts = new CohenCounts();
    for (const labelId of labelIds) {
      const found = this.tags.get(labelId)?.pairs.get(`${firstAt} ${secondAt}`) ?? { both: 0, first: 0, second: 0 };
      counts.add({ ...found, frames: this.frames });
    }
    return counts;
  }

  /** What the shapes with a label, or with any, have in common. */
  shapesOfLabel(labelId?: number): ShapeCounts[] {
    const labels = labelId === undefined ? [...this.shapes.values()] : [this.shapes.get(labelId)];
    return labels.flatMap((pairs) => [...(pairs?.values() ?? [])]);
  }

  /** What the shapes of two replicas have in common. */
  shapesOfPair(firstAt: number, secondAt: number): ShapeCounts[] {
    return [...this.shapes.values()].flatMap((pairs) => pairs.get(`${firstAt} ${secondAt}`) ?? []);
  }

  private addTags({ replicas }: ReplicatedFrame): void {
    const tagged = replicas.map(labelsOfTags);
    for (const labelId of new Set(tagged.flatMap((labels) => [...labels]))) {
      const has = tagged.map((labels) => labels.has(labelId));
      const known = this.tags.get(labelId) ?? { votes: [], pairs: new Map() };
      this.tags.set(labelId, known);
      const votes = has.filter(Boolean).length;
      known.votes[votes] = (known.votes[votes] ?? 0) + 1;
      for (const [first, second, firstAt, secondAt] of pairsOf(has)) {
        const key = `${firstAt} ${secondAt}`;
        const pair = known.pairs.get(key) ?? { both: 0, first: 0, second: 0 };
        known.pairs.set(key, pair);
        if (first && second) pair.both += 1;
        else if (first) pair.first += 1;
        else if (second) pair.second += 1;
      }
    }
  }

  private shapesOf(labelId: number, firstAt: number, secondAt: number): ShapeCounts {
    const pairs = this.shapes.get(labelId) ?? new Map<string, ShapeCounts>();
    this.shapes.set(labelId, pairs);
    const key = `${firstAt} ${secondAt}`;
    const counts = pairs.get(key) ?? { objects: 0, matched: 0, similarity: 0 };
    pairs.set(key, counts);
    return counts;
  }
}

const labelsOfTags = (objects: readonly FrameObject[]): ReadonlySet<number> =>
  new Set(objects.filter(({ kind }) => kind === 'tag').map(({ labelId }) => labelId));

/** The frames on which somebody has a tag with one label. */
interface TagCounts {
  /** Index: the number of replicas that have it. */
  readonly votes: number[];
  /** By the positions of two replicas: the frames on which both, or one of them, has it. */
  readonly pairs: Map<string, { both: number; first: number; second: number }>;
}

interface ShapeCounts {
  objects: number;
  matched: number;
  similarity: number;
}

/**
 * Cohen's kappa of two annotators: κ = (p_o − p_e) / (1 − p_e), where p_o is the share of decisions on which they agree,
 * and p_e the share that is expected if each of them decided at random as often for and against the tag as observed
 * (J. Cohen, A Coefficient of Agreement for Nominal Scales, Educational and Psychological Measurement 20, 1960).
 */
export class CohenCounts {
  private readonly counts = { both: 0, first: 0, second: 0, frames: 0 };

  /** @param counts frames with the tag in both replicas, and in one of them, of all frames */
  add({ both, first, second, frames }: { both: number; first: number; second: number; frames: number }): void {
    this.counts.both += both;
    this.counts.first += first;
    this.counts.second += second;
    this.counts.frames += frames;
  }

  /** The same with the annotators in the other order. */
  swapped(): CohenCounts {
    const swapped = new CohenCounts();
    swapped.add({ ...this.counts, first: this.counts.second, second: this.counts.first });
    return swapped;
  }

  addAll({ counts }: CohenCounts): void {
    this.add(counts);
  }

  agreement(): TagAgreement {
    const { both, first, second, frames: decisions } = this.counts;
    if (decisions === 0) return { decisions, observed: null, kappa: null };
    const observed = (decisions - first - second) / decisions;
    const [ofFirst, ofSecond] = [(both + first) / decisions, (both + second) / decisions];
    const expected = ofFirst * ofSecond + (1 - ofFirst) * (1 - ofSecond);
    return { decisions, observed, kappa: kappaOf(observed, expected) };
  }
}

/**
 * Fleiss' kappa of any number of annotators: κ = (P − P_e) / (1 − P_e). P is the mean over all decisions of the share of
 * pairs of annotators that agree, and P_e = Σ p_c², where p_c is the share of all votes for c, here: for and against the
 * tag (J. L. Fleiss, Measuring nominal scale agreement among many raters, Psychological Bulletin 76, 1971). Decisions of
 * jobs with different numbers of replicas are added up, each with its own number of pairs.
 */
export class FleissCounts {
  private decisions = 0;
  private agreeing = 0;
  private votes = 0;
  private votesFor = 0;

  constructor(private readonly annotators = 0) {}

  /** @param votes index: number of annotators who voted for the tag; value: number of frames. Others have no vote for it */
  add(frames: number, votes: readonly number[]): void {
    const n = this.annotators;
    let rest = frames;
    votes.forEach((count, votesFor) => {
      rest -= count;
      const against = n - votesFor;
      const agreeing = (votesFor * (votesFor - 1) + against * (against - 1)) / (n * (n - 1));
      this.agreeing += count * agreeing;
      this.votesFor += count * votesFor;
    });
    this.agreeing += rest;
    this.decisions += frames;
    this.votes += frames * n;
  }

  addAll(other: FleissCounts): void {
    this.decisions += other.decisions;
    this.agreeing += other.agreeing;
    this.votes += other.votes;
    this.votesFor += other.votesFor;
  }

  agreement(): TagAgreement {
    const { decisions } = this;
    if (decisions === 0) return { decisions, observed: null, kappa: null };
    const observed = this.agreeing / decisions;
    const share = this.votesFor / this.votes;
    return { decisions, observed, kappa: kappaOf(observed, share ** 2 + (1 - share) ** 2) };
  }
}

/** Not defined if chance alone gives full agreement: everybody decided the same way every time. */
const kappaOf = (observed: number, expected: number): number | null =>
  expected >= 1 ? null : (observed - expected) / (1 - expected);

function shapeAgreement(counts: readonly ShapeCounts[]): ShapeAgreement {
  const sum = (value: (one: ShapeCounts) => number): number => counts.reduce((total, one) => total + value(one), 0);
  const [objects, matched] = [sum((one) => one.objects), sum((one) => one.matched)];
  return {
    objects,
    matched,
    share: objects === 0 ? null : (2 * matched) / objects,
    similarity: matched === 0 ? null : sum((one) => one.similarity) / matched,
  };
}

/** Adds up the agreement of jobs with two or more replicas. */
export function agreementReport(jobs: readonly JobAgreement[]): AgreementReport {
  const used = jobs.map((job) => job.labels());
  const tagLabels = new Set(used.flatMap(({ tags }) => [...tags]));
  const labelIds = new Set([...tagLabels, ...used.flatMap(({ shapes }) => [...shapes])]);
  const of = (members: readonly JobAgreement[], labels: Iterable<number>, labelId?: number): Agreement => {
    const votes = new FleissCounts();
    for (const job of members) votes.addAll(job.votes(labels));
    return { tags: votes.agreement(), shapes: shapeAgreement(members.flatMap((job) => job.shapesOfLabel(labelId))) };
  };
  return {
    total: of(jobs, tagLabels),
    jobs: jobs.map((job) => ({ jobId: job.jobId, ...of([job], tagLabels) })),
    labels: [...labelIds]
      .toSorted((a, b) => a - b)
      .map((labelId) => ({ labelId, ...of(jobs, tagLabels.has(labelId) ? [labelId] : [], labelId) })),
    pairs: annotatorPairs(jobs, tagLabels),
  };
}

/** In the order in which pairs first occur. */
function annotatorPairs(jobs: readonly JobAgreement[], tagLabels: ReadonlySet<number>): PairAgreement[] {
  const pairs = new Map<string, { annotators: readonly [string, string]; tags: CohenCounts; shapes: ShapeCounts[] }>();
  for (const job of jobs) {
    for (const [first, second, firstAt, secondAt] of pairsOf(job.annotators)) {
      const isSwapped = first > second;
      const annotators = isSwapped ? ([second, first] as const) : ([first, second] as const);
      const key = JSON.stringify(annotators);
      const pair = pairs.get(key) ?? { annotators, tags: new CohenCounts(), shapes: [] };
      pairs.set(key, pair);
      const decisions = job.decisions(firstAt, secondAt, tagLabels);
      pair.tags.addAll(isSwapped ? decisions.swapped() : decisions);
      for (const counts of job.shapesOfPair(firstAt, secondAt)) pair.shapes.push(counts);
    }
  }
  return [...pairs.values()].map(({ annotators, tags, shapes }) => ({
    annotators,
    tags: tags.agreement(),
    shapes: shapeAgreement(shapes),
  }));
}
