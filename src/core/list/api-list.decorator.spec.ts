import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiOkResponse, ApiProperty, DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { raw } from '../../engines/sql/sql.js';
import { ApiList } from './api-list.decorator.js';
import { bool, choice, integer, type ListSpec, text } from './list-spec.js';
import { pageDto } from './page-request.js';

const spec: ListSpec = {
  from: raw('thing'),
  fields: {
    id: integer('thing.id'),
    name: text('thing.name'),
    open: bool('thing.open'),
    kind: choice('thing.kind', ['a', 'b']),
  },
  search: ['name'],
  simple: ['name', 'open', 'kind'],
  aliases: { thing: 'id' },
  defaultSort: '-id',
};

class ThingDto {
  @ApiProperty({ type: 'integer' })
  id!: number;
}

@Controller('things')
class ThingController {
  @Get()
  @ApiList(spec)
  @ApiOkResponse({ type: pageDto(ThingDto) })
  list(): string {
    return '';
  }
}

@Module({ controllers: [ThingController] })
class ThingModule {}

async function document(): Promise<OpenAPIObject> {
  const app = await NestFactory.create(ThingModule, { logger: false });
  const made = SwaggerModule.createDocument(app, new DocumentBuilder().build());
  await app.close();
  return made;
}

describe('ApiList and pageDto', () => {
  it('document the parameters and the page', async () => {
    const { paths, components } = await document();
    const parameters = paths['/things']?.get?.parameters ?? [];
    expect(parameters.map((parameter) => ('name' in parameter ? parameter.name : '')).toSorted()).toEqual([
      'filter',
      'kind',
      'name',
      'open',
      'page',
      'page_size',
      'search',
      'sort',
      'thing',
    ]);
    expect(parameters).toContainEqual(
      expect.objectContaining({
        name: 'kind',
        in: 'query',
        required: false,
        schema: { type: 'string', enum: ['a', 'b'] },
      }),
    );
    expect(parameters).toContainEqual(
      expect.objectContaining({ name: 'thing', required: false, schema: { type: 'integer' } }),
    );
    expect(components?.schemas?.['PaginatedThingList']).toMatchObject({
      required: ['count', 'next', 'previous', 'results'],
      properties: {
        next: { type: 'string', format: 'uri', nullable: true },
        results: { type: 'array', items: { $ref: '#/components/schemas/ThingDto' } },
      },
    });
  });

  it('return one class per item', () => {
    expect(pageDto(ThingDto)).toBe(pageDto(ThingDto));
  });
});
