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
import { PassDistributionOptions } from '../pass-distribution.options.js';

/** What went with erased passes. */
export interface ErasedPasses {
  readonly passes: number;
  readonly mails: number;
  readonly devices: number;
  readonly images: number;
}

/** Passes that are locked, with their addresses; null where there is none. */
export type LockedPasses = readonly { readonly address: PassAddress; readonly issued: IssuedPass | null }[];

/** All that is stored of single passes: to be shown, or to go. */
@Injectable()
export class HolderPassesService {
  constructor(
    private readonly passes: IssuedPassesService,
    private readonly mails: HolderMailsRepository,
    private readonly devices: PassDevicesService,
    private readonly google: GoogleProgressService,
    private readonly limits: MailLimitsService,
    private readonly options: PassDistributionOptions,
    private readonly clock: Clock,
  ) {}

  /** Passes that were sent to an address, in any case of letters, in the order of their ids. */
  mailedTo(accountId: string, email: string, after: PassAddress | null, limit: number): Promise<PassAddress[]> {
    return this.mails.mailedTo(accountId, email, after, limit);
  }

  /**
   * Waits for who is changing the passes, and keeps them from changes until the transaction ends. Locks templates and
   * passes in the order that all do; what the passes belong to has to be locked before.
   */
  async lock(tx: EntityManager, addresses: readonly PassAddress[]): Promise<LockedPasses> {
    await shareTemplates(tx, addresses);
    const inOrder = [...addresses].sort((one, other) => compare(idOf(one), idOf(other)));
    const locked: { address: PassAddress; issued: IssuedPass | null }[] = [];
    for (const address of inOrder) locked.push({ address, issued: await this.passes.lock(tx, address) });
    return locked;
  }

  /**
   * Deletes passes as a deletion does, and with them all that is known of their mails and devices, and pictures they were
   * given. Phones that hold one still get an empty one that is void. Those that are not there are harmless.
   */
  async erase(tx: EntityManager, locked: LockedPasses): Promise<ErasedPasses> {
    const erased = { passes: 0, mails: 0, devices: 0, images: 0 };
    for (const { address, issued } of locked) {
      if (!issued) {
        const { accountId } = address;
        const serialNumbers = await this.passes.deletedSerialNumbers(tx, address);
        for (const serialNumber of serialNumbers) await this.eraseTraces(tx, accountId, serialNumber);
        continue;
      }
      const { accountId, serialNumber, thumbnail } = issued.pass;
      const mails = await this.mails.count(tx, address);
      const devices = await this.devices.count(tx, accountId, serialNumber);
      await this.eraseTraces(tx, accountId, serialNumber);
      await this.passes.delete(tx, issued, this.clock.now());
      erased.passes += 1;
      erased.mails += mails;
      erased.devices += devices;
      erased.images += thumbnail ? 1 : 0;
    }
    return erased;
  }

  /** Forgets mails to an address, of passes that stay. @returns how many */
  forgetMails(tx: EntityManager, accountId: string, email: string, passes: readonly PassAddress[]): Promise<number> {
    return this.mails.deleteMailsTo(tx, accountId, email, passes);
  }

  /** Forgets how many mails went to an address of late. */
  forgetRecipient(tx: EntityManager, accountId: string, email: string): Promise<void> {
    return this.limits.forgetRecipient(tx, accountId, email);
  }

  /**
   * All that is stored of a pass; null when there is none.
   * @param onlyMailsTo of somebody else's pass, which was sent to this address too: that alone
   */
  async export(address: PassAddress, onlyMailsTo: string | null = null): Promise<object | null> {
    const issued = await this.passes.find(address);
    if (!issued) return null;
    const mails = await this.mails.list(address);
    if (onlyMailsTo !== null) {
      const sent = mails.filter(({ recipient }) => recipient.toLowerCase() === onlyMailsTo.toLowerCase());
      return { templateId: address.templateId, id: address.passId, mails: sent };
    }
    const { thumbnail, ...pass } = issued.pass;
    const { accountId, serialNumber } = pass;
    return {
      ...pass,
      thumbnail: thumbnail && this.shown(thumbnail),
      links: passLinks(this.options.baseUrl, address),
      mails,
      appleWallet: await this.devices.export(accountId, serialNumber),
      googleWallet: await this.google.exportOfPass(accountId, serialNumber),
    };
  }

  /** Erases what devices said of a pass, which of them left, and what Google had against it. */
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
