import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DeletedPassesRepository } from '../deletion/deleted-passes.repository.js';
import type { PassAddress } from '../addresses/pass-address.js';
import { type PassEvent, PassAuditLog } from './pass-audit-log.service.js';
import { PassWriter } from './pass-writer.service.js';
import type { IssuedPass } from '../content/issued-pass.js';
import { PassNotFound } from './passes.errors.js';
import { PassesRepository } from './passes.repository.js';

/** Finds, locks and deletes issued passes for the libs that distribute them. */
@Injectable()
export class IssuedPassesService {
  constructor(
    private readonly repository: PassesRepository,
    private readonly deleted: DeletedPassesRepository,
    private readonly writer: PassWriter,
    private readonly auditLog: PassAuditLog,
  ) {}

  find(address: PassAddress): Promise<IssuedPass | null> {
    return this.repository.find(address);
  }

  /** Counts the passes of a template, including void passes. @param most the number at which counting stops */
  count(accountId: string, templateId: string, most: number): Promise<number> {
    return this.repository.count(accountId, templateId, most);
  }

  /** Locks a pass and takes a shared lock on its template until `tx` ends. */
  lock(tx: EntityManager, address: PassAddress): Promise<IssuedPass | null> {
    return this.repository.lock(tx, address);
  }

  /** Deletes a locked pass and stores a tombstone, so that devices that hold the pass get a void version. */
  delete(tx: EntityManager, issued: IssuedPass, now: Date): Promise<void> {
    return this.writer.delete(tx, issued, now);
  }

  /** Returns true if a pass with this address was deleted. A new pass may have the same address. */
  wasDeleted(address: PassAddress): Promise<boolean> {
    return this.deleted.has(address);
  }

  /** Returns the error for a holder's request for a pass that does not exist. */
  async notFound(address: PassAddress): Promise<PassNotFound> {
    return new PassNotFound(address.templateId, address.passId, await this.wasDeleted(address));
  }

  /** Lists the serial numbers of the deleted passes with this address. */
  deletedSerialNumbers(tx: EntityManager, address: PassAddress): Promise<string[]> {
    return this.deleted.serialNumbers(tx, address);
  }

  /** Records an action on a pass in the audit trail. */
  record(tx: EntityManager, address: PassAddress, event: PassEvent, after?: object): Promise<void> {
    return this.auditLog.record(tx, address, event, after);
  }
}
