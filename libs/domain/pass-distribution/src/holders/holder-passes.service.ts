import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import type { PreparedImage } from '@passwright/images';
import { GoogleProgressService } from '@passwright/google-wallet';
import { PassDevicesService } from '@passwright/apple-wallet';
import { type IssuedPass, IssuedPassesService, type PassAddress, passLinks } from '@passwright/passes';
import { shareTemplates } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import { HolderMailsRepository } from '../mails/holder-mails.repository.js';
import { MailLimitsService } from '../mails/mail-limits.service.js';
import { HolderMessagesRepository } from './holder-messages.repository.js';
import { PassDistributionOptions } from '../pass-distribution.options.js';

/** The data that was deleted with erased passes. */
export interface ErasedPasses {
  readonly passes: number;
  readonly mails: number;
  readonly devices: number;
  readonly images: number;
}

/** Locked passes with their addresses; null for a pass that does not exist. */
export type LockedPasses = readonly { readonly address: PassAddress; readonly issued: IssuedPass | null }[];

/** Finds, exports and erases all stored data of single passes. */
@Injectable()
export class HolderPassesService {
  constructor(
    private readonly passes: IssuedPassesService,
    private readonly mails: HolderMailsRepository,
    private readonly devices: PassDevicesService,
    private readonly google: GoogleProgressService,
    private readonly limits: MailLimitsService,
    private readonly messages: HolderMessagesRepository,
    private readonly options: PassDistributionOptions,
    private readonly clock: Clock,
  ) {}

  /** Lists passes that were sent to an e-mail address, ignoring case, in the order of their ids. */
  mailedTo(accountId: string, email: string, after: PassAddress | null, limit: number): Promise<PassAddress[]> {
    return this.mails.mailedTo(accountId, email, after, limit);
  }

  /**
   * Locks templates and passes until `tx` ends, in the usual order. The caller must already have locked the owners of
   * managed passes.
   */
  async lock(tx: EntityManager, addresses: readonly PassAddress[]): Promise<LockedPasses> {
    await shareTemplates(tx, addresses);
    const inOrder = [...addresses].sort((one, other) => compare(idOf(one), idOf(other)));
    const locked: { address: PassAddress; issued: IssuedPass | null }[] = [];
    for (const address of inOrder) locked.push({ address, issued: await this.passes.lock(tx, address) });
    return locked;
  }

  /** Lists the ids of the mails about passes of an account. */
  listMailIds(tx: EntityManager, accountId: string, passes: readonly PassAddress[]): Promise<string[]> {
    return this.mails.listIds(tx, accountId, passes);
  }

  /**
   * Deletes passes with their mails, device data and own images. Phones that hold such a pass get an empty, void pass.
   * Ignores passes that do not exist.
   */
  async erase(tx: EntityManager, locked: LockedPasses): Promise<ErasedPasses> {
    const erased = { passes: 0, mails: 0, devices: 0, images: 0 };
    const goneSerials = await this.lockParts(tx, locked);
    for (const { address, issued } of locked) {
      if (!issued) continue;
      const { accountId, serialNumber, thumbnail } = issued.pass;
      const mails = await this.mails.count(tx, address);
      const devices = await this.devices.count(tx, accountId, serialNumber);
      await this.passes.delete(tx, issued, this.clock.now());
      await this.eraseTraces(tx, accountId, serialNumber);
      erased.passes += 1;
      erased.mails += mails;
      erased.devices += devices;
      erased.images += thumbnail ? 1 : 0;
    }
    for (const [serialNumber, accountId] of goneSerials) await this.eraseTraces(tx, accountId, serialNumber);
    return erased;
  }

  /**
   * Deletes mails about passes to an e-mail address. Keeps the passes.
   * @returns the number of deleted mails
   */
  forgetMails(tx: EntityManager, accountId: string, email: string, passes: readonly PassAddress[]): Promise<number> {
    return this.mails.deleteMailsTo(tx, accountId, email, passes);
  }

  /** Resets the limit of mails to an e-mail address. */
  forgetRecipient(tx: EntityManager, accountId: string, email: string): Promise<void> {
    return this.limits.forgetRecipient(tx, accountId, email);
  }

  /**
   * Returns all stored data of a pass; null if it does not exist.
   * @param mailsTo the holder's e-mail address: omits mails to other addresses, which are data of other people. Null:
   * returns all mails.
   * @param isOthers true if the pass belongs to another person; returns only its mails
   */
  async export(address: PassAddress, mailsTo: string | null = null, isOthers = false): Promise<object | null> {
    const issued = await this.passes.find(address);
    if (!issued) return null;
    const mails = await this.mails.list(address, mailsTo);
    if (isOthers) return { templateId: address.templateId, id: address.passId, mails };
    const { thumbnail, managedBy, ...pass } = issued.pass;
    const { accountId, serialNumber } = pass;
    return {
      ...pass,
      // Exports use the old name of `managedBy`.
      follows: managedBy,
      thumbnail: thumbnail && this.shown(thumbnail),
      links: passLinks(this.options.baseUrl, address),
      mails,
      messagesSent: await this.messages.list(address),
      appleWallet: await this.devices.export(accountId, serialNumber),
      googleWallet: await this.google.exportOfPass(accountId, serialNumber),
    };
  }

  /**
   * Locks the messages of passes and then their objects at Google, both in the order of their ids, to prevent
   * deadlocks.
   * @returns the serial numbers of passes that were deleted earlier, with their accounts
   */
  private async lockParts(tx: EntityManager, locked: LockedPasses): Promise<Map<string, string>> {
    const addresses = locked.map(({ address }) => address);
    await this.messages.lock(tx, addresses);
    const gone = new Map<string, string>();
    for (const { address, issued } of locked) {
      const serials = issued ? [] : await this.passes.deletedSerialNumbers(tx, address);
      for (const serialNumber of serials) gone.set(serialNumber, address.accountId);
    }
    const serialNumbers = [...locked.flatMap(({ issued }) => issued?.pass.serialNumber ?? []), ...gone.keys()];
    const [first] = addresses;
    if (first) await this.google.lockOfPasses(tx, first.accountId, serialNumbers);
    return gone;
  }

  /**
   * Deletes the device log lines and former devices of a pass, and the messages and last error of its Google objects.
   */
  private async eraseTraces(tx: EntityManager, accountId: string, serialNumber: string): Promise<void> {
    await this.devices.erase(tx, accountId, serialNumber);
    await this.google.eraseOfPass(tx, accountId, serialNumber);
  }

  private shown({ url, files }: PreparedImage): object {
    return { url, files: files.map(({ key }) => `${this.options.baseUrl}/${key}`) };
  }
}

const idOf = ({ templateId, passId }: PassAddress) => `${templateId}/${passId}`;
const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
