export { type BasicUser, basicUserColumns, readBasicUser, senderOf, toBasicUser } from './basic-user.js';
export { UsersModule } from './users.module.js';
