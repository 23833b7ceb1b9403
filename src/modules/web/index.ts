import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { UnknownPageFilter, WebController } from './web.controller.js';
import { WebApp } from './web-files.js';

/** Serves the app in the browser, which is built from `web/`. */
@Module({ controllers: [WebController], providers: [WebApp, { provide: APP_FILTER, useClass: UnknownPageFilter }] })
export class WebModule {}
