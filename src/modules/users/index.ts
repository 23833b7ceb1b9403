export { basicUserColumns, personThrough, readBasicUser, senderOf, toBasicUser } from './basic-user.js';
export { type AccountChange, awaitsRegistration, UserChanges, usernameTaken } from './user.changes.js';
export { UsernameField } from './user.dto.js';
export { UsersModule } from './users.module.js';
