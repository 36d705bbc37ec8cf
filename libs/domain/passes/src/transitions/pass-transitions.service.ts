import { Injectable } from '@nestjs/common';
import { Clock, type IfMatch, InvalidTransition, requireMatch } from '@passwright/core';
import { Database } from '@passwright/database';
import { passState, type PassState } from '@passwright/wallet-renderers';
import type { PassAddress } from '../addresses/pass-address.js';
import { PassAuditLog } from '../passes/pass-audit-log.service.js';
import { PassWriter } from '../passes/pass-writer.service.js';
import type { Pass } from '../content/pass.entity.js';
import { PassManagedByMember, PassNotFound } from '../passes/passes.errors.js';
import type { IssuedPass } from '../content/issued-pass.js';
import { passTag } from '../content/pass-with-links.dto.js';
import { PassesRepository } from '../passes/passes.repository.js';

/** Voids, un-voids and redeems passes. */
@Injectable()
export class PassTransitionsService {
  constructor(
    private readonly database: Database,
    private readonly repository: PassesRepository,
    private readonly writer: PassWriter,
    private readonly auditLog: PassAuditLog,
    private readonly clock: Clock,
  ) {}

  /** Voids a pass. Does nothing if it is already void. @throws PassNotFound, PreconditionFailed */
  async void(address: PassAddress, ifMatch: IfMatch = null): Promise<IssuedPass> {
    return this.change(address, ({ pass }, now) => ({ voidedAt: pass.voidedAt ?? now }), ifMatch);
  }

  /**
   * Un-voids a pass. Does nothing if it is not void. @throws PassNotFound, InvalidTransition while its template is
   * archived, PreconditionFailed
   */
  async unvoid(address: PassAddress, ifMatch: IfMatch = null): Promise<IssuedPass> {
    const changes = ({ archivedAt }: IssuedPass) => {
      if (archivedAt) {
        throw new InvalidTransition(
          `Template "${address.templateId}" is archived, which voids all its passes; un-archive it first.`,
        );
      }
      return { voidedAt: null };
    };
    return this.change(address, changes, ifMatch);
  }

  /**
   * Marks a pass as used. Of several simultaneous calls, only one succeeds.
   * @throws PassNotFound, PreconditionFailed, InvalidTransition if the pass is already used, void, expired or not valid
   * yet
   */
  async redeem(address: PassAddress, ifMatch: IfMatch = null): Promise<IssuedPass> {
    const changes = (issued: IssuedPass, now: Date) => {
      const state = passState(issued, issued.pass, now);
      if (state !== 'valid') throw new InvalidTransition(whyNotRedeemable(issued, state));
      return { redeemedAt: now };
    };
    return this.change(address, changes, ifMatch);
  }

  private async change(
    address: PassAddress,
    changes: (issued: IssuedPass, now: Date) => Partial<Pass>,
    ifMatch: IfMatch = null,
  ): Promise<IssuedPass> {
    return this.database.transaction(async (tx) => {
      const issued = await this.repository.lock(tx, address);
      if (!issued) throw new PassNotFound(address.templateId, address.passId);
      requireMatch(ifMatch, 'pass', passTag(issued));
      if (issued.pass.managedBy) throw new PassManagedByMember(issued.pass.id);
      // Read the clock after locking, because the wait for the lock may have been long.
      const now = this.clock.now();
      const { voidedAt, redeemedAt } = issued.pass;
      const changed = await this.writer.write(tx, issued, changes(issued, now), now);
      await this.auditLog.recordVoiding(tx, voidedAt, changed.pass);
      if (changed.pass.redeemedAt !== redeemedAt) await this.auditLog.record(tx, address, 'redeemed');
      return changed;
    });
  }
}

function whyNotRedeemable({ pass, archivedAt }: IssuedPass, state: Exclude<PassState, 'valid'>): string {
  const at = (date: Date | null) => date?.toISOString() ?? '';
  const reasons: Record<typeof state, string> = {
    voided: archivedAt ? `is void, as template "${pass.templateId}" is archived` : `was voided at ${at(pass.voidedAt)}`,
    redeemed: `was redeemed already, at ${at(pass.redeemedAt)}`,
    expired: `expired at ${at(pass.expiresAt)}`,
    not_yet_valid: `is not valid before ${at(pass.validFrom)}`,
  };
  return `Pass "${pass.id}" cannot be redeemed: it ${reasons[state]}.`;
}
