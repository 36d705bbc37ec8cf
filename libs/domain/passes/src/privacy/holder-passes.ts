import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { type PreparedImage, shareTemplates } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import { MailLimits } from '../mails/mail-limits.js';
import { passLinks, type PassAddress } from '../passes/pass-links.js';
import { PassWriter } from '../passes/pass-writer.js';
import { type IssuedPass, PassesRepository } from '../passes/passes.repository.js';
import { PassesOptions } from '../passes.options.js';
import { HolderPassesRepository } from './holder-passes.repository.js';

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
export class HolderPasses {
  constructor(
    private readonly repository: HolderPassesRepository,
    private readonly passes: PassesRepository,
    private readonly writer: PassWriter,
    private readonly limits: MailLimits,
    private readonly options: PassesOptions,
    private readonly clock: Clock,
  ) {}

  /** Passes that were sent to an address, in any case of letters, in the order of their ids. */
  mailedTo(accountId: string, email: string, after: PassAddress | null, limit: number): Promise<PassAddress[]> {
    return this.repository.mailedTo(accountId, email, after, limit);
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
        await this.repository.eraseDeleted(tx, address);
        continue;
      }
      const { accountId, serialNumber, thumbnail } = issued.pass;
      const { mails, devices } = await this.repository.count(tx, address, serialNumber);
      await this.repository.erase(tx, accountId, serialNumber);
      await this.writer.delete(tx, issued, this.clock.now());
      erased.passes += 1;
      erased.mails += mails;
      erased.devices += devices;
      erased.images += thumbnail ? 1 : 0;
    }
    return erased;
  }

  /** Forgets mails to an address, of passes that stay. @returns how many */
  forgetMails(tx: EntityManager, accountId: string, email: string, passes: readonly PassAddress[]): Promise<number> {
    return this.repository.deleteMailsTo(tx, accountId, email, passes);
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
    const mails = await this.repository.mails(address);
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
      appleWallet: await this.repository.devices(accountId, serialNumber),
      googleWallet: await this.repository.google(accountId, serialNumber),
    };
  }

  private shown({ url, files }: PreparedImage): object {
    return { url, files: files.map(({ key }) => `${this.options.baseUrl}/${key}`) };
  }
}

const idOf = ({ templateId, passId }: PassAddress) => `${templateId}/${passId}`;
const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
