import { Global, Module } from '@nestjs/common';
import { AUTHENTICATOR } from '../../core/access/auth.guard.js';
import { MembershipsModule } from '../memberships/index.js';
import { UsersModule } from '../users/index.js';
import { AccessTokenController } from './tokens/access-token.controller.js';
import { AccessTokenService } from './tokens/access-token.service.js';
import { AccountController } from './accounts/account.controller.js';
import { AccountLinks, AccountLogins, ManagedAccounts } from './accounts/managed-accounts.js';
import { AccountAdministration, AdminBootstrap } from './accounts/account-administration.js';
import { AccountsRepository } from './accounts/accounts.repository.js';
import { ApiTokens } from './tokens/api-tokens.js';
import { ImportedTokens } from './tokens/imported-tokens.js';
import { AuthController } from './auth.controller.js';
import { Cookies, Sessions } from './sessions/sessions.js';
import { EmailVerification } from './accounts/email-verification.js';
import { LocalPasswords } from './passwords/local-passwords.js';
import { Credentials } from './login/credentials.js';
import { LoginLinks } from './login/login-links.js';
import { LoginRecords, LoginService } from './login/login.service.js';
import { LoginAttempts, PasswordVerifier } from './passwords/password-verifier.js';
import {
  NewPasswords,
  PasswordChangeService,
  PasswordLinks,
  PasswordResetService,
} from './passwords/password-change.js';
import { DirectoryLogins } from './sign-on/directory-logins.js';
import { IdentityProvider } from './sign-on/identity-provider.js';
import { PendingLogins } from './sign-on/pending-logins.js';
import { SignOnAccounts } from './sign-on/sign-on-accounts.js';
import { SignOnController } from './sign-on/sign-on.controller.js';
import { SignOnRoles } from './sign-on/sign-on-roles.js';
import { SignOnService, SignOnSessions } from './sign-on/sign-on.service.js';
import { RegistrationService } from './login/registration.service.js';
import { RequestAuthenticator } from './login/request-authenticator.js';

export { AccountAdministration, AdminBootstrap } from './accounts/account-administration.js';
export { LoginLinks } from './login/login-links.js';
export { discoverProvider } from './sign-on/identity-provider.js';
export { unknownOrganizations } from './sign-on/group-rules.js';
export { SignOnRoles } from './sign-on/sign-on-roles.js';
export { otherIssuer } from './sign-on/sign-on-problem.js';

/** Authentication, registration and passwords. */
@Global()
@Module({
  imports: [UsersModule, MembershipsModule],
  controllers: [AuthController, AccessTokenController, AccountController, SignOnController],
  providers: [
    AccessTokenService,
    AccountAdministration,
    AccountLinks,
    AccountLogins,
    AccountsRepository,
    AdminBootstrap,
    ApiTokens,
    Cookies,
    Credentials,
    DirectoryLogins,
    EmailVerification,
    IdentityProvider,
    ImportedTokens,
    LoginRecords,
    LocalPasswords,
    LoginAttempts,
    LoginLinks,
    LoginService,
    ManagedAccounts,
    NewPasswords,
    PasswordChangeService,
    PasswordLinks,
    PasswordResetService,
    PasswordVerifier,
    PendingLogins,
    RegistrationService,
    Sessions,
    SignOnAccounts,
    SignOnRoles,
    SignOnService,
    SignOnSessions,
    { provide: AUTHENTICATOR, useClass: RequestAuthenticator },
  ],
  exports: [AUTHENTICATOR, AccountAdministration, AdminBootstrap, LoginLinks],
})
export class AuthModule {}
