import { hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretBox } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AccountsOptions } from '../accounts.options.js';
import { isEncryptedEmail, UserEncryption } from '../users/user-encryption.service.js';

/**
 * Encrypts the e-mail addresses in jobs, because the queue and its log store the jobs. Uses the user's key or, for
 * unencrypted users, a key that all nodes share (AES-256-GCM).
 */
@Injectable()
export class EncryptedEmails {
  private readonly box: SecretBox;

  constructor(
    private readonly users: UserEncryption,
    private readonly database: Database,
    { accessTokenSecret }: AccountsOptions,
  ) {
    const key = new Uint8Array(hkdfSync('sha256', accessTokenSecret, '', 'passwright e-mails in jobs', 32));
    this.box = new SecretBox([{ id: '1', key }]);
  }

  async encrypt(tx: EntityManager, uid: string, email: string): Promise<string> {
    const encrypted = await this.users.encryptEmail(tx, uid, email);
    return encrypted ?? this.box.encrypt(email, contextOf(uid)).toString('base64url');
  }

  /** Decrypts an e-mail. Returns null if the user was deleted. @throws DecryptionFailed if the secret has changed */
  async open(uid: string, encrypted: string): Promise<string | null> {
    if (isEncryptedEmail(encrypted)) return this.users.openEmail(this.database.reads, uid, encrypted);
    return this.box.open(Buffer.from(encrypted, 'base64url'), contextOf(uid)).toString();
  }
}

function contextOf(uid: string) {
  return { accountId: '', purpose: `former e-mail of ${uid}` };
}
