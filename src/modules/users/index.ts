export { type BasicUser, basicUserColumns, readBasicUser, senderOf, toBasicUser } from './basic-user.js';
export { insertUser, type NewUser } from './insert-user.js';
export { UsersModule } from './users.module.js';
