import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { AccountsOptions } from './accounts.options.js';
import { AccountMember } from './accounts/account-member.entity.js';
import { Account } from './accounts/account.entity.js';
import { AccountsRepository } from './accounts/accounts.repository.js';
import { AccountsService } from './accounts/accounts.service.js';
import { AuditEvent } from './audit/audit-event.entity.js';
import { AuditEventsController } from './audit/audit-events.controller.js';
import { AuditEventsRepository } from './audit/audit-events.repository.js';
import { AuditEventsService } from './audit/audit-events.service.js';
import { AuditTrail } from './audit/audit-trail.js';
import { ApiKey } from './api-keys/api-key.entity.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { AccessTokens } from './auth/access-tokens.js';
import { AuthController } from './auth/auth.controller.js';
import { AuthGuard } from './auth/auth.guard.js';
import { AuthService } from './auth/auth.service.js';
import { Authenticator } from './auth/authenticator.js';
import { CredentialThrottle } from './auth/credential-throttle.js';
import { Passwords } from './auth/passwords.js';
import { Billing } from './billing/billing.entity.js';
import { BillingRepository } from './billing/billing.repository.js';
import { BillingService } from './billing/billing.service.js';
import { PaymentCustomer } from './billing/payment-customer.entity.js';
import { ReceivedPaymentEvent } from './billing/payment-event.entity.js';
import { PaymentSubscription } from './billing/payment-subscription.entity.js';
import { Session } from './sessions/session.entity.js';
import { SessionsRepository } from './sessions/sessions.repository.js';
import { SessionsService } from './sessions/sessions.service.js';
import { ActivePass } from './usage/active-pass.entity.js';
import { PassCreation } from './usage/pass-creation.entity.js';
import { UsageMonth } from './usage/usage-month.entity.js';
import { UsageRepository } from './usage/usage.repository.js';
import { UsageService } from './usage/usage.service.js';
import { User } from './users/user.entity.js';
import { UsersRepository } from './users/users.repository.js';
import { UsersService } from './users/users.service.js';

/** Accounts, users, sessions and API keys: who is calling, and what they may do. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Account, AccountMember, User, Session, ApiKey, AuditEvent]),
    TypeOrmModule.forFeature([Billing, PaymentCustomer, PaymentSubscription, ReceivedPaymentEvent]),
    TypeOrmModule.forFeature([PassCreation, ActivePass, UsageMonth]),
  ],
  providers: [
    ...[AccountsService, AccountsRepository, UsersService, UsersRepository, SessionsService, SessionsRepository],
    ...[ApiKeysService, ApiKeysRepository],
    ...[BillingService, BillingRepository],
    ...[UsageService, UsageRepository],
    ...[AuditTrail, AuditEventsService, AuditEventsRepository],
    ...[AuthService, AuthGuard, Authenticator, AccessTokens, Passwords, CredentialThrottle],
  ],
  exports: [AccountsService, ApiKeysService, BillingService, UsageService, AuthGuard, AuditTrail],
})
export class AccountsModule extends rootModule(AccountsOptions, [
  AuditEventsController,
  AuthController,
  ApiKeysController,
]) {}
