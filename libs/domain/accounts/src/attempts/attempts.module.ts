import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CredentialThrottle } from './credential-throttle.service.js';
import { KnownAddress } from './known-address.entity.js';
import { KnownAddressesCron } from './known-addresses.cron.js';
import { KnownAddresses } from './known-addresses.repository.js';
import { LoginThrottle } from './login-throttle.service.js';

/** Limits guessing of passwords, tokens and codes. */
@Module({
  imports: [TypeOrmModule.forFeature([KnownAddress])],
  providers: [CredentialThrottle, LoginThrottle, KnownAddresses, KnownAddressesCron],
  exports: [CredentialThrottle, LoginThrottle],
})
export class AttemptsModule {}
