import { Injectable } from '@nestjs/common';
import { Clock, InvalidTransition } from '@passwright/core';
import { Database } from '@passwright/database';
import { passState, type PassState } from '@passwright/wallet-renderers';
import { makeChanges } from './pass-changes.js';
import type { PassAddress } from './pass-links.js';
import { PassNotFound } from './passes.errors.js';
import { type IssuedPass, PassesRepository } from './passes.repository.js';

/** Voids, un-voids and redeems passes. */
@Injectable()
export class PassTransitionsService {
  constructor(
    private readonly database: Database,
    private readonly repository: PassesRepository,
    private readonly clock: Clock,
  ) {}

  /** Harmless when it is void already. @throws PassNotFound */
  async void(address: PassAddress): Promise<IssuedPass> {
    return this.change(address, ({ pass }, now) => ({ voidedAt: pass.voidedAt ?? now }));
  }

  /** Harmless when it is not void. @throws PassNotFound, InvalidTransition while its template is archived */
  async unvoid(address: PassAddress): Promise<IssuedPass> {
    return this.change(address, ({ archivedAt }) => {
      if (archivedAt) {
        throw new InvalidTransition(
          `Template "${address.templateId}" is archived, which voids all its passes; un-archive it first.`,
        );
      }
      return { voidedAt: null };
    });
  }

  /**
   * Marks a pass as used, once: of any number of calls, at the same moment too, exactly one succeeds.
   * @throws PassNotFound, InvalidTransition naming why: used before, void, expired, not valid yet
   */
  async redeem(address: PassAddress): Promise<IssuedPass> {
    const now = this.clock.now();
    return this.database.transaction(async (tx) => {
      const redeemed = await this.repository.redeem(tx, address, now);
      const issued = await this.repository.lock(tx, address);
      if (!issued) throw new PassNotFound(address.templateId, address.passId);
      if (!redeemed) throw new InvalidTransition(whyNotRedeemable(issued, now));
      return issued;
    });
  }

  private async change(
    address: PassAddress,
    changes: (issued: IssuedPass, now: Date) => { voidedAt: Date | null },
  ): Promise<IssuedPass> {
    const now = this.clock.now();
    return this.database.transaction(async (tx) => {
      const issued = await this.repository.lock(tx, address);
      if (!issued) throw new PassNotFound(address.templateId, address.passId);
      if (makeChanges(issued.pass, changes(issued, now), now)) await this.repository.update(tx, issued.pass);
      return issued;
    });
  }
}

function whyNotRedeemable({ pass, archivedAt }: IssuedPass, now: Date): string {
  const at = (date: Date | null) => date?.toISOString() ?? '';
  const reasons: Record<PassState, string> = {
    voided: archivedAt ? `is void, as template "${pass.templateId}" is archived` : `was voided at ${at(pass.voidedAt)}`,
    redeemed: `was redeemed already, at ${at(pass.redeemedAt)}`,
    expired: `expired at ${at(pass.expiresAt)}`,
    not_yet_valid: `is not valid before ${at(pass.validFrom)}`,
    valid: 'was changed at this very moment; try again',
  };
  return `Pass "${pass.id}" cannot be redeemed: it ${reasons[passState({ archivedAt }, pass, now)]}.`;
}
