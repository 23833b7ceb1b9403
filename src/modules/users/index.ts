import { Module } from '@nestjs/common';
import './user.events.js';
import { UserChanges } from './user.changes.js';
import { UserController } from './user.controller.js';
import { UserService } from './user.service.js';

export {
  basicUserColumns,
  GROUPS,
  personThrough,
  readBasicUser,
  readGroups,
  senderOf,
  toBasicUser,
  toUser,
  UserDto,
  UsernameField,
} from './user.dto.js';
export { type AccountChange, awaitsRegistration, UserChanges, usernameTaken } from './user.changes.js';

/** People with an account. */
@Module({ controllers: [UserController], providers: [UserService, UserChanges], exports: [UserChanges] })
export class UsersModule {}
