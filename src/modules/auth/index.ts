import { Global, Module } from '@nestjs/common';
import { AUTHENTICATOR } from '../../core/access/auth.guard.js';
import { UsersModule } from '../users/index.js';
import { AccessTokenController } from './tokens/access-token.controller.js';
import { AccessTokenService } from './tokens/access-token.service.js';
import { AccountAdministration, AdminBootstrap } from './accounts/account-administration.js';
import { AccountsRepository } from './accounts/accounts.repository.js';
import { ApiTokens } from './tokens/api-tokens.js';
import { AuthController } from './auth.controller.js';
import { Cookies, Sessions } from './sessions/sessions.js';
import { EmailVerification } from './accounts/email-verification.js';
import { LoginRecords, LoginService } from './login/login.service.js';
import { LoginAttempts, PasswordVerifier } from './passwords/password-verifier.js';
import { NewPasswords, PasswordChangeService, PasswordResetService } from './passwords/password-change.js';
import { RegistrationService } from './login/registration.service.js';
import { RequestAuthenticator } from './login/request-authenticator.js';

export { AccountAdministration, AdminBootstrap } from './accounts/account-administration.js';

/** Authentication, registration and passwords. */
@Global()
@Module({
  imports: [UsersModule],
  controllers: [AuthController, AccessTokenController],
  providers: [
    AccessTokenService,
    AccountAdministration,
    AccountsRepository,
    AdminBootstrap,
    ApiTokens,
    Cookies,
    EmailVerification,
    LoginRecords,
    LoginAttempts,
    LoginService,
    NewPasswords,
    PasswordChangeService,
    PasswordResetService,
    PasswordVerifier,
    RegistrationService,
    Sessions,
    { provide: AUTHENTICATOR, useClass: RequestAuthenticator },
  ],
  exports: [AUTHENTICATOR, AccountAdministration, AdminBootstrap],
})
export class AuthModule {}
