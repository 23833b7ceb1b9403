import { Module } from '@nestjs/common';
import { UserController } from './user.controller.js';
import { UserService } from './user.service.js';

/** People with an account. */
@Module({ controllers: [UserController], providers: [UserService] })
export class UsersModule {}
