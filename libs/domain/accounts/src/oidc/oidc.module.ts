import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { IdentitiesRepository } from './identities.repository.js';
import { IdentitiesService } from './identities.service.js';
import { IdentityProvider } from './identity-provider.service.js';
import { OidcProvisioningService } from './oidc-provisioning.service.js';
import { OidcSignInService } from './oidc-sign-in.service.js';
import { OidcController } from './oidc.controller.js';
import { OidcOptions } from './oidc.options.js';
import { SignInAttempts } from './sign-in-attempts.service.js';
import { SignInConsents } from './sign-in-consents.service.js';
import { SignInCodes } from './sign-in-codes.service.js';
import { SignInTokens } from './sign-in-tokens.service.js';
import { UserIdentity } from './user-identity.entity.js';

/**
 * Signs users in through OpenID Connect, in addition to passwords. Needs `AccountsModule` and `SelfServiceModule`.
 * Disabled unless its options name a provider.
 */
@Module({
  imports: [TypeOrmModule.forFeature([UserIdentity])],
  providers: [
    ...[OidcSignInService, SignInAttempts, SignInConsents, SignInCodes, SignInTokens],
    ...[IdentityProvider, IdentitiesService, IdentitiesRepository, OidcProvisioningService],
  ],
})
export class OidcModule extends rootModule(OidcOptions, [OidcController]) {}
