import { Module } from '@nestjs/common';
import './user.events.js';
import { People } from './people.js';
import { UserController } from './user.controller.js';
import { UserService } from './user.service.js';

/** People with an account. */
@Module({ controllers: [UserController], providers: [UserService, People], exports: [People] })
export class UsersModule {}
