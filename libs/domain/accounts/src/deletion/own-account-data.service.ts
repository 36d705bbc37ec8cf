import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '@passwright/database';
import { AccountData, type Pause } from './account-data.service.js';
import { AccountDeletionRepository } from '../accounts/account-deletion.repository.js';
import { sessionTargetIdSql } from '../sessions/session-audit-target.js';

const membersAtOnce = 100;

/**
 * Registers the account data of this lib. Includes stored responses and circuit breakers, whose libs `http` and `jobs`
 * do not know accounts.
 */
@Injectable()
export class OwnAccountData implements OnModuleInit {
  constructor(
    private readonly data: AccountData,
    private readonly repository: AccountDeletionRepository,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.data.add({
      floor: 0,
      steps: [
        { table: 'idempotency_key', key: ['key_hash'], hidden: 'all' },
        { table: 'circuit_breaker', key: ['fingerprint'], hidden: 'all', staysUntilNotified: true },
        { table: 'invite', key: ['id'], encryptedAs: 'invite' },
        { table: 'user_code', key: ['uid', 'purpose'], hidden: 'all' },
        { table: 'session', key: ['id'], hidden: ['token_hash'], shownAs: { id: sessionTargetIdSql('own.id') } },
        { table: 'agent_plan', key: ['id'], hidden: ['call_hash'], encryptedAs: 'plan' },
        { table: 'api_key', key: ['id'], hidden: ['secret_hash'] },
        { run: (accountId, pause) => this.deleteMembers(accountId, pause) },
        { table: 'account_member', key: ['uid'] },
        { table: 'audit_event', key: ['at', 'id'] },
        { table: 'encryption_key', key: ['id'], hidden: 'all' },
      ],
    });
  }

  private async deleteMembers(accountId: string, pause: Pause): Promise<void> {
    const some = () => this.database.transaction((tx) => this.repository.deleteMembers(tx, accountId, membersAtOnce));
    while ((await some()) > 0) pause();
    const former = (after: string) =>
      this.database.transaction((tx) => this.repository.deleteFormerMembers(tx, accountId, after, membersAtOnce));
    for (let after: string | null = ''; after !== null;) {
      after = await former(after);
      pause();
    }
  }
}
