import { Injectable } from '@nestjs/common';
import { AuditLog } from '@passwright/accounts';
import { Clock, NotFound } from '@passwright/core';
import { Database, repeatedRead } from '@passwright/database';
import { StoredResponseErasureRepository } from '@passwright/http';
import { type ErasedPasses, HolderPassesService } from '@passwright/pass-distribution';
import type { PassAddress } from '@passwright/passes';
import { shareTemplate } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import type { Member } from '../members/member.entity.js';
import { MembersRepository } from '../members/members.repository.js';
import { addressOf } from '../members/member-passes.service.js';
import { SettingsRepository } from '../settings/settings.repository.js';
import { HoldersRepository } from './holders.repository.js';
import type { ErasedResponse, HolderName } from './privacy.dto.js';

/** The holder that a name refers to. */
interface Holder {
  readonly accountId: string;
  readonly name: HolderName;
  readonly member: Member | null;
  /** The e-mail address with which the search finds passes that were sent by mail. */
  readonly email: string | null;
  /** The passes that are known before a search of the mails. */
  readonly passes: readonly PassAddress[];
}

const batch = 100;
const erasedResponse = new NotFound(
  'The stored response to this request was erased, because a pass holder asked for the erasure of their data.',
);
const nothing: ErasedResponse = { members: 0, passes: 0, mails: 0, devices: 0, images: 0 };

/** Finds, exports and erases all data of one holder of passes. */
@Injectable()
export class HoldersService {
  constructor(
    private readonly repository: HoldersRepository,
    private readonly members: MembersRepository,
    private readonly settings: SettingsRepository,
    private readonly passes: HolderPassesService,
    private readonly responses: StoredResponseErasureRepository,
    private readonly auditLog: AuditLog,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Yields all data of a holder as the text of one JSON object, one pass at a time, so that memory use stays constant.
   * First records the export in the audit trail.
   */
  async *export(accountId: string, name: HolderName): AsyncGenerator<string> {
    const holder = await this.find(accountId, name);
    const { member } = holder;
    const exported = { members: member ? 1 : 0 };
    await this.database.transaction((tx) => this.record(tx, holder, 'holder.exported', exported));
    const head = { exportedAt: this.clock.now(), holder: name, members: member ? [member] : [] };
    yield `${JSON.stringify(head).slice(0, -1)},"passes":[`;
    let separator = '';
    for await (const address of this.allPasses(holder)) {
      const { pass, isOthers } = address;
      const stored = await repeatedRead(() => this.passes.export(pass, holder.email, isOthers));
      if (!stored) continue;
      yield separator + JSON.stringify(stored);
      separator = ',';
    }
    yield ']}';
  }

  /**
   * Erases all data of a holder. First deletes the passes that were sent by mail, in batches of 100. Deletes the member
   * last, so that a repeated call can resume an interrupted one. Keeps passes of other members, and deletes only the
   * mails that sent them.
   */
  async erase(accountId: string, name: HolderName): Promise<ErasedResponse> {
    let erased = nothing;
    for (;;) {
      const holder = await this.find(accountId, name);
      erased = sum(erased, await this.eraseAllSent(holder));
      const all = await this.database.transaction((tx) => this.eraseRest(tx, holder, erased));
      if (all) return all;
      // Search again, because the name now refers to another holder.
    }
  }

  private async eraseAllSent(holder: Holder): Promise<ErasedResponse> {
    let erased = nothing;
    for (let sent = await this.sent(holder, null); sent.length > 0; sent = await this.sent(holder, null)) {
      const part = await this.database.transaction((tx) => this.eraseSent(tx, holder, sent));
      erased = sum(erased, part);
      // Stop when a batch deletes nothing: then only mails that arrived during the erasure are left.
      if (part.passes + part.mails === 0) break;
    }
    return erased;
  }

  private async find(accountId: string, name: HolderName): Promise<Holder> {
    const byEmail = 'email' in name;
    const address = byEmail ? null : { accountId, ...name };
    const member = address
      ? await this.repository.findByPass(address)
      : await this.repository.findByEmail(accountId, byEmail ? name.email : '');
    const email = byEmail ? name.email : (member?.email ?? null);
    const passes = address ? [address] : member ? [addressOf(member)] : [];
    return { accountId, name, member, email, passes };
  }

  private async sent({ accountId, email }: Holder, after: PassAddress | null): Promise<PassAddress[]> {
    return email === null ? [] : this.passes.mailedTo(accountId, email, after, batch);
  }

  private async *allPasses(holder: Holder): AsyncGenerator<{ pass: PassAddress; isOthers: boolean }> {
    for (const pass of holder.passes) yield { pass, isOthers: false };
    const known = new Set(holder.passes.map(nameOf));
    const sentAfter = (after: PassAddress | null) => repeatedRead(() => this.sent(holder, after));
    let sent = await sentAfter(null);
    while (sent.length > 0) {
      const page = sent;
      const others = await repeatedRead(() =>
        this.repository.membersPasses(holder.accountId, page, holder.member?.id ?? null),
      );
      for (const pass of page) {
        if (!known.has(nameOf(pass))) yield { pass, isOthers: others.has(nameOf(pass)) };
      }
      sent = await sentAfter(page.at(-1) ?? null);
    }
  }

  /**
   * Erases passes sent by mail. Deletes only the mails of a member's pass: `eraseRest` deletes the pass of this member,
   * and other members keep theirs.
   */
  private async eraseSent(tx: EntityManager, holder: Holder, sent: readonly PassAddress[]): Promise<ErasedResponse> {
    const { accountId, email } = holder;
    const members = await this.repository.membersPasses(accountId, sent, null);
    const free = sent.filter((pass) => !members.has(nameOf(pass)));
    const erased = await this.erasePasses(tx, { ...holder, passes: free });
    const mails = email === null ? 0 : await this.passes.forgetMails(tx, accountId, email, sent);
    return { ...erased, members: 0, mails: erased.mails + mails };
  }

  /**
   * Erases the remaining data, and records the erasure in the audit trail. @returns null, without any change, if the
   * member has changed since the search
   */
  private async eraseRest(tx: EntityManager, holder: Holder, before: ErasedResponse): Promise<ErasedResponse | null> {
    const { accountId, member, email } = holder;
    if (member && !isSame(member, await this.lockMember(tx, member))) return null;
    const erased = await this.erasePasses(tx, holder);
    if (member) await this.members.delete(tx, member);
    if (email !== null) await this.passes.forgetRecipient(tx, accountId, email);
    const all = sum(before, { ...erased, members: member ? 1 : 0 });
    await this.record(tx, holder, 'holder.erased', all);
    return all;
  }

  /** Locks a member in the order that `settings-lock.ts` defines. */
  private async lockMember(tx: EntityManager, { accountId, id, templateId }: Member): Promise<Member | null> {
    await this.settings.lockForShare(tx, accountId);
    await shareTemplate(tx, accountId, templateId);
    return this.members.lock(tx, accountId, id);
  }

  /** Erases passes, waits for concurrent changes, and erases the stored responses that mention the passes. */
  private async erasePasses(tx: EntityManager, { accountId, email, passes }: Holder): Promise<ErasedPasses> {
    const locked = await this.passes.lock(tx, passes);
    // Read the ids of the mails before deleting the mails, because they are needed to find stored responses.
    const mailIds = await this.passes.listMailIds(tx, accountId, passes);
    await this.responses.erase(tx, accountId, { email, passes, mailIds }, erasedResponse);
    return this.passes.erase(tx, locked);
  }

  /**
   * Writes an audit event. If the request named a pass, the event contains the ids of the template and the pass. It
   * never contains the e-mail.
   */
  private record(tx: EntityManager, { accountId, name }: Holder, action: string, counts: object): Promise<void> {
    const id = 'email' in name ? null : `${name.templateId}:${name.passId}`;
    const target = id === null ? { kind: 'holder' } : { kind: 'pass', id };
    return this.auditLog.record(tx, { accountId, action, target, after: counts });
  }
}

/** Returns true if a member still has the e-mail address and the pass by which the search found it. */
function isSame(found: Member, locked: Member | null): boolean {
  return locked?.email === found.email && nameOf(addressOf(locked)) === nameOf(addressOf(found));
}

const nameOf = ({ templateId, passId }: PassAddress) => `${templateId}/${passId}`;

function sum(one: ErasedResponse, other: ErasedResponse): ErasedResponse {
  return {
    members: one.members + other.members,
    passes: one.passes + other.passes,
    mails: one.mails + other.mails,
    devices: one.devices + other.devices,
    images: one.images + other.images,
  };
}
