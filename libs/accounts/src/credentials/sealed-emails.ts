import { hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretBox } from '@passwright/core';
import { AccountsOptions } from '../accounts.options.js';

/** E-mails in jobs, which stay in the queue and its log: sealed (AES-256-GCM) under a key of all nodes, each for its user. */
@Injectable()
export class SealedEmails {
  private readonly box: SecretBox;

  constructor({ accessTokenSecret }: AccountsOptions) {
    const key = new Uint8Array(hkdfSync('sha256', accessTokenSecret, '', 'passwright e-mails in jobs', 32));
    this.box = new SecretBox([{ id: '1', key }]);
  }

  seal(uid: string, email: string): string {
    return this.box.seal(email, contextOf(uid)).toString('base64url');
  }

  /** @throws SealBroken, where the secret is another one by now */
  open(uid: string, sealed: string): string {
    return this.box.open(Buffer.from(sealed, 'base64url'), contextOf(uid)).toString();
  }
}

function contextOf(uid: string) {
  return { accountId: '', purpose: `former e-mail of ${uid}` };
}
