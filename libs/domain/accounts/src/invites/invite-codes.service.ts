import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { accountOfPart, accountPart } from '@passwright/core';
import { AccountsOptions } from '../accounts.options.js';
import type { Invite } from './invite.entity.js';

/**
 * The invitation's id and account, then 128 bits of a MAC. Codes of earlier versions have no account. A code never ends
 * in `-` or `_`, which mail programs cut off links.
 */
const form = /^([0-9A-Za-z]{22})([0-9A-Za-z]{22})?([\w-]{21}[AQgw])$/;
const reference = /^[0-9A-Za-z]{22}$/;

/** The data from which a code is derived. */
export type InviteOfCode = Pick<Invite, 'accountId' | 'id' | 'email'>;

/**
 * The source of a code. `mailed`: only the reader of the invited mailbox has the code, so it proves the e-mail address.
 * `shown`: the code appears in responses to admins and proves nothing.
 */
export type CodeKind = 'mailed' | 'shown';

/** The parts of a presented code. */
export interface PresentedCode {
  readonly id: string;
  /** Null in a code of an earlier version, which does not name its account. */
  readonly accountId: string | null;
  readonly mac: string;
}

/**
 * Derives the codes of invitations from a secret of the service instead of storing them. So read access to the database
 * does not reveal codes, but the service can show a code again.
 */
@Injectable()
export class InviteCodes {
  private readonly key: Buffer;

  constructor({ accessTokenSecret }: AccountsOptions) {
    this.key = Buffer.from(hkdfSync('sha256', accessTokenSecret, '', 'passwright invitation codes', 32));
  }

  /** Returns the code of an invitation: 66 URL-safe characters. */
  codeOf(invite: InviteOfCode, kind: CodeKind): string {
    return invite.id + (accountPart(invite.accountId) ?? '') + this.macOf(invite, kind);
  }

  /** @returns null for text that is not an invitation code */
  parse(code: string): PresentedCode | null {
    const [, id, account, mac] = form.exec(code) ?? [];
    return id && mac ? { id, accountId: accountOfPart(account), mac } : null;
  }

  /**
   * Returns the kind of this code, or null if it does not belong to the invitation. Takes the same time for every code,
   * to prevent timing attacks.
   */
  kindOf({ accountId, mac }: PresentedCode, invite: InviteOfCode): CodeKind | null {
    const is = (kind: CodeKind) => timingSafeEqual(Buffer.from(mac), Buffer.from(this.macOf(invite, kind)));
    const [isMailed, isShown] = [is('mailed'), is('shown')];
    if (accountId !== null && accountId !== invite.accountId) return null;
    if (isMailed) return 'mailed';
    return isShown ? 'shown' : null;
  }

  private macOf({ accountId, id, email }: InviteOfCode, kind: CodeKind): string {
    const mac = createHmac('sha256', this.key).update(`${kind}\n${accountId}\n${id}\n${email.toLowerCase()}`).digest();
    return mac.subarray(0, 16).toString('base64url');
  }
}

/** Returns true if the text has the format of an invitation's `ref`. */
export function isInviteRef(text: string): boolean {
  return reference.test(text);
}
