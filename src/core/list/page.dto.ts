import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';

/** One page of a list on the wire. */
export interface Page<Dto> {
  /** Number of rows of the whole list. */
  readonly count: number;
  /** Absolute URL of the next page. */
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: Dto[];
}

const made = new Map<Type<unknown>, Type<Page<unknown>>>();

/**
 * The documented class of a page of `item`: `TaskDto` gives `PaginatedTaskList`. The same item always gives the same
 * class.
 */
export function pageDto<Dto>(item: Type<Dto>): Type<Page<Dto>> {
  const known = made.get(item) ?? makePageDto(item);
  made.set(item, known);
  return known as Type<Page<Dto>>;
}

function makePageDto<Dto>(item: Type<Dto>): Type<Page<Dto>> {
  class PageDto implements Page<Dto> {
    @ApiProperty({ type: 'integer', example: 123 })
    readonly count!: number;

    @ApiProperty({ type: String, format: 'uri', nullable: true, description: 'URL of the next page' })
    readonly next!: string | null;

    @ApiProperty({ type: String, format: 'uri', nullable: true, description: 'URL of the previous page' })
    readonly previous!: string | null;

    @ApiProperty({ type: item, isArray: true })
    readonly results!: Dto[];
  }
  Object.defineProperty(PageDto, 'name', { value: `Paginated${item.name.replace(/Dto$/, '')}List` });
  return PageDto;
}
