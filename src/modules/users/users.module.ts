import { Module } from '@nestjs/common';
import './user.events.js';
import { UserChanges } from './user.changes.js';
import { UserController } from './user.controller.js';
import { UserService } from './user.service.js';

/** People with an account. */
@Module({ controllers: [UserController], providers: [UserService, UserChanges], exports: [UserChanges] })
export class UsersModule {}
