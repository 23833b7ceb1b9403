import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { UnknownPageFilter } from './unknown-page.filter.js';
import { WebApp } from './web-files.js';
import { WebController } from './web.controller.js';

/** Serves the app in the browser, which is built from `web/`. */
@Module({ controllers: [WebController], providers: [WebApp, { provide: APP_FILTER, useClass: UnknownPageFilter }] })
export class WebModule {}
