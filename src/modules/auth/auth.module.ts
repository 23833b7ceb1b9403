import { Global, Module } from '@nestjs/common';
import { AUTHENTICATOR } from '../../core/access/authenticator.js';
import { UsersModule } from '../users/index.js';
import { AccessTokenController } from './access-token.controller.js';
import { AccessTokenService } from './access-token.service.js';
import { AccountAdministration } from './account-administration.js';
import { AccountsRepository } from './accounts.repository.js';
import { AdminBootstrap } from './admin-bootstrap.js';
import { ApiTokens } from './api-tokens.js';
import { AuthController } from './auth.controller.js';
import { Cookies } from './cookies.js';
import { EmailVerification } from './email-verification.js';
import { Entrance } from './entrance.js';
import { LoginAttempts } from './login-attempts.js';
import { LoginService } from './login.service.js';
import { NewPasswords } from './new-passwords.js';
import { PasswordChangeService } from './password-change.service.js';
import { PasswordResetService } from './password-reset.service.js';
import { PasswordVerifier } from './password-verifier.js';
import { RegistrationService } from './registration.service.js';
import { RequestAuthenticator } from './request-authenticator.js';
import { Sessions } from './sessions.js';

/** Who sends a request, and how they log in. */
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
    Entrance,
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
