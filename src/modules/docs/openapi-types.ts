import type { OpenAPIObject } from '@nestjs/swagger';

export type ComponentsObject = NonNullable<OpenAPIObject['components']>;
