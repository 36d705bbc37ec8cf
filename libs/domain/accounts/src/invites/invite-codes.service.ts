import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AccountsOptions } from '../accounts.options.js';
import type { Invite } from './invite.entity.js';

/** The invitation's id, then 128 bits of a MAC. Neither `-` nor `_` at the end, where mail programs cut links. */
const form = /^([0-9A-Za-z]{22})([\w-]{21}[AQgw])$/;
const reference = /^[0-9A-Za-z]{22}$/;

/** What a code is derived from. */
export type InviteOfCode = Pick<Invite, 'accountId' | 'id' | 'email'>;

/**
 * The source of a code. Only the reader of the invited mailbox holds the `mailed` code, which proves the address; the `shown`
 * code stands in answers to admins and proves nothing.
 */
export type CodeKind = 'mailed' | 'shown';

/** A code as it was presented. */
export interface PresentedCode {
  readonly id: string;
  readonly mac: string;
}

/**
 * The codes that let people into accounts. They are derived with a key of the service instead of kept, so that whoever reads
 * the database alone gets in nowhere, and e-mails and lists can show them again.
 */
@Injectable()
export class InviteCodes {
  private readonly key: Buffer;

  constructor({ accessTokenSecret }: AccountsOptions) {
    this.key = Buffer.from(hkdfSync('sha256', accessTokenSecret, '', 'passwright invitation codes', 32));
  }

  /** 44 URL-safe characters. */
  codeOf(invite: InviteOfCode, kind: CodeKind): string {
    return invite.id + this.macOf(invite, kind);
  }

  /** @returns null for what is no code of ours */
  parse(code: string): PresentedCode | null {
    const [, id, mac] = form.exec(code) ?? [];
    return id && mac ? { id, mac } : null;
  }

  /** Which code of this invitation it is, null where it is none; in the same time, however much of it is right. */
  kindOf({ mac }: PresentedCode, invite: InviteOfCode): CodeKind | null {
    const is = (kind: CodeKind) => timingSafeEqual(Buffer.from(mac), Buffer.from(this.macOf(invite, kind)));
    const [isMailed, isShown] = [is('mailed'), is('shown')];
    if (isMailed) return 'mailed';
    return isShown ? 'shown' : null;
  }

  private macOf({ accountId, id, email }: InviteOfCode, kind: CodeKind): string {
    const mac = createHmac('sha256', this.key).update(`${kind}\n${accountId}\n${id}\n${email.toLowerCase()}`).digest();
    return mac.subarray(0, 16).toString('base64url');
  }
}

/** Whether text has the form of an invitation's `ref`. */
export function isInviteRef(text: string): boolean {
  return reference.test(text);
}
