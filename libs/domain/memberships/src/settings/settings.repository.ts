import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { MembershipSettings } from './membership-settings.entity.js';
import { shareSettings, takeSettings } from './settings-lock.js';

/**
 * The queries on the table `membership_settings`, except the query in `MembersRepository` that reserves member ids.
 */
@Injectable()
export class SettingsRepository {
  constructor(private readonly database: Database) {}

  find(accountId: string): Promise<MembershipSettings | null> {
    return this.database.reads.findOneBy(MembershipSettings, { accountId });
  }

  /**
   * Returns true if new members get passes of this template. Takes no lock on the settings: a change of the settings
   * locks the template, so lock the template first.
   */
  nameTemplate(tx: EntityManager, accountId: string, templateId: string): Promise<boolean> {
    return tx.existsBy(MembershipSettings, { accountId, templateId });
  }

  /**
   * Locks the settings in order to create or change them. Until `tx` ends, no other transaction can create or change
   * members of the account.
   */
  async lockForUpdate(tx: EntityManager, accountId: string): Promise<MembershipSettings | null> {
    await takeSettings(tx, accountId);
    return tx.findOneBy(MembershipSettings, { accountId });
  }

  /** Reads the settings and locks them against changes until the transaction ends. `lastMemberId` may still change. */
  async lockForShare(tx: EntityManager, accountId: string): Promise<MembershipSettings | null> {
    await shareSettings(tx, [accountId]);
    return tx.findOneBy(MembershipSettings, { accountId });
  }

  async insert(tx: EntityManager, settings: MembershipSettings): Promise<void> {
    await tx.insert(MembershipSettings, settings);
  }

  /** Writes locked settings, except `lastMemberId`. */
  async update(tx: EntityManager, settings: MembershipSettings): Promise<void> {
    const { accountId, lastMemberId: _, ...columns } = settings;
    await tx.update(MembershipSettings, { accountId }, columns);
  }
}
