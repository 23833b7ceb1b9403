import { Module } from '@nestjs/common';
import { declareEvents } from '../../core/outbox/event-catalogue.js';
import { People } from './people.js';
import { UserController } from './user.controller.js';
import { UserDto } from './user.dto.js';
import { UserService } from './user.service.js';

declareEvents({
  resource: 'user',
  object: UserDto,
  operations: {
    create: 'An account is made: by registration, for an invitation to an unknown address, or on the command line',
    update: 'An account is changed, or completed by registration after an invitation',
    delete: 'An account is deleted; its memberships are told of before',
  },
  ofOrganizations: [],
  ofProjects: [],
  newer: ['create', 'update', 'delete'],
});

/** People with an account. */
@Module({ controllers: [UserController], providers: [UserService, People], exports: [People] })
export class UsersModule {}
