import { ApiProperty } from '@nestjs/swagger';
import { NestedField } from '../../../core/http/body/composite-fields.js';
import { IntField, TextField, TimestampField } from '../../../core/http/body/fields.js';

/** What clients may report. */
export const CLIENT_SCOPES: ReadonlySet<string> = new Set([
  'load:cvat',
  'load:job',
  'save:job',
  'load:workspace',
  'send:exception',
  'join:objects',
  'change:frame',
  'draw:object',
  'paste:object',
  'copy:object',
  'propagate:object',
  'drag:object',
  'resize:object',
  'delete:object',
  'merge:objects',
  'split:objects',
  'group:objects',
  'slice:object',
  'zoom:image',
  'fit:image',
  'rotate:image',
  'action:undo',
  'action:redo',
  'debug:info',
  'run:annotations_action',
  'click:element',
  'user:activity',
]);

const OptionalText = (description?: string): PropertyDecorator =>
  TextField({ optional: true, nullable: true, ...(description === undefined ? {} : { description }) });
const OptionalInt = (): PropertyDecorator => IntField({ optional: true, nullable: true });
const REPLACED = 'Replaced by that of the request';

export class ClientEventDto {
  @TextField({ description: `One of: ${[...CLIENT_SCOPES].join(', ')}` }) scope!: string;
  @OptionalText() obj_name?: string | null;
  @OptionalInt() obj_id?: number | null;
  @OptionalText() obj_val?: string | null;
  @OptionalText('`client`, which is also the default') source?: string | null;
  @TimestampField({ description: "By the client's clock" }) timestamp!: string;
  @OptionalInt() count?: number | null;
  @IntField({ optional: true, description: 'Milliseconds; default: 0' }) duration?: number;
  @OptionalInt() project_id?: number | null;
  @OptionalInt() task_id?: number | null;
  @OptionalInt() job_id?: number | null;
  @IntField({ optional: true, nullable: true, description: REPLACED }) user_id?: number | null;
  @OptionalText(REPLACED) user_name?: string | null;
  @OptionalText(REPLACED) user_email?: string | null;
  @IntField({ optional: true, nullable: true, description: REPLACED }) org_id?: number | null;
  @OptionalText(REPLACED) org_slug?: string | null;
  @OptionalText('JSON') payload?: string | null;
}

export class ClientEventsDto {
  @NestedField(() => ClientEventDto, { list: true, optional: true }) events?: ClientEventDto[];
  @NestedField(() => ClientEventDto, {
    optional: true,
    nullable: true,
    description: 'The last event of the message before, for the working time',
  })
  previous_event?: ClientEventDto | null;
  @TimestampField({ description: "The client's time of sending, which corrects the times of the events" })
  timestamp!: string;
}

/** An event as the server understood it: with the keys that were sent, and those it sets. */
export class AcceptedEventDto {
  @ApiProperty() scope!: string;
  @ApiProperty({ type: String, nullable: true, required: false }) obj_name?: string | null;
  @ApiProperty({ type: Number, nullable: true, required: false }) obj_id?: number | null;
  @ApiProperty({ type: String, nullable: true, required: false }) obj_val?: string | null;
  @ApiProperty({ type: String, nullable: true, required: false }) source?: string | null;
  @ApiProperty({ format: 'date-time', description: "By the server's clock" }) timestamp!: string;
  @ApiProperty({ type: Number, nullable: true, required: false }) count?: number | null;
  @ApiProperty({ description: 'Milliseconds' }) duration!: number;
  @ApiProperty({ type: Number, nullable: true, required: false }) project_id?: number | null;
  @ApiProperty({ type: Number, nullable: true, required: false }) task_id?: number | null;
  @ApiProperty({ type: Number, nullable: true, required: false }) job_id?: number | null;
  @ApiProperty({ type: Number, nullable: true, required: false }) user_id?: number | null;
  @ApiProperty({ type: String, nullable: true, required: false }) user_name?: string | null;
  @ApiProperty({ type: String, nullable: true, required: false }) user_email?: string | null;
  @ApiProperty({ type: Number, nullable: true, required: false }) org_id?: number | null;
  @ApiProperty({ type: String, nullable: true, required: false }) org_slug?: string | null;
  @ApiProperty({ type: String, nullable: true, required: false, description: 'JSON' }) payload?: string | null;
}

export class AcceptedEventsDto {
  @ApiProperty({ type: [AcceptedEventDto] }) events!: AcceptedEventDto[];
  @ApiProperty({ type: AcceptedEventDto, nullable: true }) previous_event!: AcceptedEventDto | null;
  @ApiProperty({ format: 'date-time', description: 'As sent' }) timestamp!: string;
}
