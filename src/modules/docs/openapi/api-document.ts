import { Injectable } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { LATEST_VERSION } from '../../../core/versioning/accept.js';
import { completeDocument } from './complete-document.js';
import { INTRODUCTION, TAGS } from './introduction.js';
import { payloadClasses } from '../events/event-schemas.js';

export const API_TITLE = 'Cairn REST API';

type Application = Parameters<typeof SwaggerModule.createDocument>[0];

/** Builds the OpenAPI document of an application, which need not be initialised. */
export function describeApi(app: Application): OpenAPIObject {
  const builder = new DocumentBuilder();
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  const base = builder
    .setTitle(API_TITLE)
    .setVersion(LATEST_VERSION)
    .setDescription(INTRODUCTION)
    .setLicense('Apache-2.0', '')
    .addServer('/')
    .addSecurity('token', {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: '`Token <key>`, with the key from the login response',
      'x-token-prefix': 'Token',
    })
    .addSecurity('session', {
      type: 'apiKey',
      in: 'cookie',
      name: 'sessionid',
      description:
        'The cookie that the login sets. Requests that change something must repeat the cookie csrftoken in X-CSRFToken.',
    })
    .addSecurity('basic', { type: 'http', scheme: 'basic' })
    .addSecurity('bearer', { type: 'http', scheme: 'bearer', description: 'A personal access token' })
    .build();
  return completeDocument(
    SwaggerModule.createDocument(app, base, { extraModels: payloadClasses(), autoTagControllers: false }),
  );
}

/** The document of the running application, built on first use. */
@Injectable()
export class ApiDocument {
  private built: OpenAPIObject | undefined;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly host: HttpAdapterHost,
  ) {}

  get(): OpenAPIObject {
    this.built ??= describeApi(this.application());
    return this.built;
  }

  /** The parts of an application that the scanner reads. A module cannot inject the application itself. */
  private application(): Application {
    const container = { getModules: () => this.modules };
    const parts = { container, config: new ApplicationConfig(), getHttpAdapter: () => this.host.httpAdapter };
    return parts as unknown as Application;
  }
}
