export { awaitsRegistration } from './awaits-registration.js';
export { basicUserColumns, readBasicUser, senderOf, toBasicUser } from './basic-user.js';
export { type AccountChange, People, usernameTaken } from './people.js';
export { UsernameField } from './user.dto.js';
export { personThrough } from './user.fields.js';
export { UsersModule } from './users.module.js';
