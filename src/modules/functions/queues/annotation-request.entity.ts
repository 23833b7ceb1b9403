import {
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm';
import type { RequestOrigin } from '../../../shared/policy/actor.js';
import { TaskEntity } from '../../tasks/task.entity.js';
import { UserEntity } from '../../users/user.entity.js';
import { NativeFunctionEntity } from '../function.entity.js';

/**
 * A piece of work in the queue of a function. An agent holds it until its lease ends. The results of a batch request are
 * annotations, saved in the transaction that finishes it; those of an interactive one are in `result`.
 */
@Entity('annotation_request')
export class AnnotationRequestEntity {
  /** The order of the queue. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) rowId!: number;
  @Column('uuid') @Index({ unique: true }) id!: string;
  @ManyToOne(() => NativeFunctionEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  function!: Relation<NativeFunctionEntity>;
  @Column('int') functionId!: number;
  /** interactive or batch. */
  @Column('text') category!: string;
  /** annotate_task, annotate_frame, init_tracking, track or interact. */
  @Column('text') type!: string;
  /** queued, started, finished, failed or cancelled. */
  @Column('text', { default: 'queued' }) status!: string;
  @ManyToOne(() => TaskEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  task!: Relation<TaskEntity>;
  @Column('int') @Index() taskId!: number;
  /** The job whose frames are annotated; null: all frames of the task. */
  @Column('int', { nullable: true }) jobId!: number | null;
  /** As sent to the agent, except `roi` and prompts, which are relative to the frame. */
  @Column('jsonb') params!: unknown;
  /** Whether the results replace all annotations of the task or job. */
  @Column('boolean', { default: false }) cleanup!: boolean;
  /** Who made the request. */
  @ManyToOne(() => UserEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  owner!: Relation<UserEntity> | null;
  @Column('int', { nullable: true }) @Index() ownerId!: number | null;
  @Column('text', { default: '' }) baseUrl!: string;
  @Column('json', { nullable: true }) origin!: RequestOrigin | null;
  /** The only agent that can process the request, because it has the state in memory. */
  @Column('text', { nullable: true }) pinnedAgent!: string | null;
  /** The agent that holds the request or has ended it. */
  @Column('text', { nullable: true }) agentId!: string | null;
  @ManyToOne(() => UserEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  agentUser!: Relation<UserEntity> | null;
  @Column('int', { nullable: true }) @Index() agentUserId!: number | null;
  /** Which streams are those of the agent that holds the request: `clientOf`, or derived from the id of the agent. */
  @Column('text', { nullable: true }) agentClient!: string | null;
  /** The last call of the agent that holds the request, or the end of its last stream. Null: assigned by an older server. */
  @Column('timestamptz', { nullable: true }) agentSeenDate!: Date | null;
  /** Whether a stream of the agent that holds the request has ended. */
  @Column('boolean', { default: false }) agentStreamed!: boolean;
  /** How often the agent that holds the request has received it. */
  @Column('int', { default: 0 }) handovers!: number;
  /** How many agents have lost the request. */
  @Column('int', { default: 0 }) lostLeases!: number;
  /** When the agent loses the request; of an interactive one, when it fails. */
  @Column('timestamptz', { nullable: true }) leaseEnd!: Date | null;
  /** 0 to 1. */
  @Column('float8', { default: 0 }) progress!: number;
  @Column('text', { default: '' }) error!: string;
  /** Why the server refused the results. The agent then reports only the status of that response. */
  @Column('text', { nullable: true }) rejection!: string | null;
  @Column('jsonb', { nullable: true }) result!: unknown;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz', { nullable: true }) startedDate!: Date | null;
  @Column('timestamptz', { nullable: true }) finishedDate!: Date | null;
  @Column('timestamptz', { nullable: true }) @Index() expiryDate!: Date | null;
}

/** A sign that a function has an agent: an open stream, or an agent that has asked for work. */
@Entity('function_agent')
export class FunctionAgentEntity {
  @PrimaryColumn('int') functionId!: number;
  @PrimaryColumn('text') key!: string;
  /** Whose stream it is; null for agents that have asked for work. */
  @Column('int', { nullable: true }) userId!: number | null;
  /** The client of the stream; null if it is not known yet. */
  @Column('text', { nullable: true }) client!: string | null;
  /** The process that serves the stream. As long as it runs, the row says that the stream is open. */
  @Column('int', { nullable: true }) holder!: number | null;
  @Column('timestamptz', { nullable: true }) openedDate!: Date | null;
  @Column('timestamptz') expiryDate!: Date;
}
