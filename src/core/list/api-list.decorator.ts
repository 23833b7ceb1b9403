import { applyDecorators } from '@nestjs/common';
import { ApiQuery, type ApiQueryOptions } from '@nestjs/swagger';
import { fieldNamed, type ListField, type ListSpec, simpleParameters, sortableNames } from './list-spec.js';

/** Documents all query parameters of a list. */
export function ApiList(spec: ListSpec): MethodDecorator {
  const simple = simpleParameters(spec).map(([name, field]) => simpleQuery(name, fieldNamed(spec, field)));
  return applyDecorators(...generalQueries(spec), ...simple);
}

function generalQueries(spec: ListSpec): MethodDecorator[] {
  const queries: ApiQueryOptions[] = [
    { name: 'page', type: 'integer', description: 'Page number, starting at 1. `last` is the last page.' },
    { name: 'page_size', type: String, description: 'Rows per page. Default: 10. `all` returns everything.' },
    {
      name: 'sort',
      type: String,
      description: `Fields to sort by, separated by commas; a minus sign sorts in descending order. Default: ${spec.defaultSort}. Fields: ${sortableNames(spec).join(', ')}.`,
    },
    {
      name: 'filter',
      type: String,
      description: `JSON Logic, such as {"==":[{"var":"id"},1]}. Fields: ${Object.keys(spec.fields).join(', ')}.`,
    },
  ];
  if (spec.search.length > 0) {
    const description = `Words or quoted phrases. Each must occur in one of these fields: ${spec.search.join(', ')}.`;
    queries.push({ name: 'search', type: String, description });
  }
  return queries.map((query) => ApiQuery({ ...query, required: false }));
}

const types = { integer: 'integer', boolean: Boolean, text: String, enum: String, timestamp: String } as const;

function simpleQuery(name: string, field: ListField): MethodDecorator {
  const description = 'Only rows with this value.';
  return field.choices === undefined
    ? ApiQuery({ name, required: false, type: types[field.kind], description })
    : ApiQuery({ name, required: false, enum: [...field.choices], description });
}
