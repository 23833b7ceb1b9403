import { Module } from '@nestjs/common';
import { WebController } from './web.controller.js';

/** Serves the app in the browser, which is built from `web/`. */
@Module({ controllers: [WebController] })
export class WebModule {}
