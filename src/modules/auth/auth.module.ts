import { Global, Module } from '@nestjs/common';
import { AUTHENTICATOR } from '../../core/access/authenticator.js';
import { ServerSecret } from '../../core/secret.js';
import { AccountsRepository } from './accounts.repository.js';
import { AdminBootstrap } from './admin-bootstrap.js';
import { ApiTokens } from './api-tokens.js';
import { Cookies } from './cookies.js';
import { LoginAttempts } from './login-attempts.js';
import { PasswordVerifier } from './password-verifier.js';
import { RequestAuthenticator } from './request-authenticator.js';
import { Sessions } from './sessions.js';

/** Who sends a request, and how they log in. */
@Global()
@Module({
  providers: [
    ServerSecret,
    AccountsRepository,
    AdminBootstrap,
    ApiTokens,
    Cookies,
    LoginAttempts,
    PasswordVerifier,
    Sessions,
    { provide: AUTHENTICATOR, useClass: RequestAuthenticator },
  ],
  exports: [AUTHENTICATOR, AdminBootstrap, ServerSecret],
})
export class AuthModule {}
