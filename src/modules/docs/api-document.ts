import { Inject, Injectable } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { LATEST_VERSION } from '../../core/versioning/accept.js';
import { completeDocument } from './complete-document.js';
import { TAGS } from './document-tags.js';
import { payloadClasses } from './event-schemas.js';
import { INTRODUCTION } from './introduction.js';

export const API_TITLE = 'Cairn REST API';

type Application = Parameters<typeof SwaggerModule.createDocument>[0];

/** The OpenAPI document of an application whose modules are known; it need not be initialised. */
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
      description: '`Token <key>`, the key that log-in answers with',
      'x-token-prefix': 'Token',
    })
    .addSecurity('session', {
      type: 'apiKey',
      in: 'cookie',
      name: 'sessionid',
      description: 'The cookie that log-in sets. Changing requests must repeat the cookie csrftoken in X-CSRFToken.',
    })
    .addSecurity('basic', { type: 'http', scheme: 'basic' })
    .addSecurity('bearer', { type: 'http', scheme: 'bearer', description: 'A personal access token' })
    .build();
  return completeDocument(
    SwaggerModule.createDocument(app, base, { extraModels: payloadClasses(), autoTagControllers: false }),
  );
}

/** The document of the running application, made when it is first asked for. */
@Injectable()
export class ApiDocument {
  private made: OpenAPIObject | undefined;

  constructor(
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
  ) {}

  get(): OpenAPIObject {
    this.made ??= describeApi(this.application());
    return this.made;
  }

  /** What the scanner reads of an application; a module is not handed the application itself. */
  private application(): Application {
    const container = { getModules: () => this.modules };
    const parts = { container, config: new ApplicationConfig(), getHttpAdapter: () => this.host.httpAdapter };
    return parts as unknown as Application;
  }
}
