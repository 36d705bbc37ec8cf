import { Injectable } from '@nestjs/common';
import { newSalt, PersonalData } from '@passwright/accounts';
import type { EntityManager } from 'typeorm';
import type { PassMailRow } from './pass-mail.entity.js';

const LASTING = 'pass_mail.personal';
const PASSING = 'pass_mail.personal_message';

type Lasting = Pick<PassMailRow, 'recipient' | 'subject'>;
type Passing = Pick<PassMailRow, 'replyTo' | 'message'>;

/**
 * Encrypts and decrypts the content and recipients of mails. For an encrypted mail, `recipient` contains a search index
 * instead of the e-mail address.
 */
@Injectable()
export class MailEncryptionService {
  constructor(private readonly keys: PersonalData) {}

  /** Returns the forms in which the database may store a recipient. */
  formsOf(accountId: string, recipient: string, tx?: EntityManager): Promise<string[]> {
    return this.keys.formsOf(accountId, recipient, tx);
  }

  /**
   * Decrypts mails that were read from the database. The fields are empty if the key no longer exists, for example
   * after an erasure.
   */
  async openAll(mails: PassMailRow[], tx?: EntityManager): Promise<PassMailRow[]> {
    for (const mail of mails) {
      const { accountId, personal, personalMessage, salt } = mail;
      mail.personal = undefined;
      mail.personalMessage = undefined;
      mail.salt = undefined;
      if (!personal) continue;
      const key = salt && (await this.keys.find(accountId, tx));
      const record = salt && { id: idOf(mail), salt };
      const open = <Values extends object>(column: string, bytes: Buffer) =>
        record && key ? key.open<Values>(record, column, bytes) : null;
      Object.assign(mail, open<Lasting>(LASTING, personal) ?? { recipient: '', subject: '' });
      if (personalMessage) Object.assign(mail, open<Passing>(PASSING, personalMessage));
    }
    return mails;
  }

  /** Returns a mail in encrypted form, and stores its key. */
  async encrypted(tx: EntityManager, mail: PassMailRow): Promise<PassMailRow> {
    const { accountId, recipient, subject, replyTo, message } = mail;
    const key = await this.keys.findForWrite(accountId, tx);
    if (!key) return mail;
    const record = { id: idOf(mail), salt: newSalt() };
    await this.keys.put(tx, accountId, [record]);
    return {
      ...mail,
      recipient: key.indexOf(recipient),
      subject: '',
      replyTo: null,
      message: null,
      personal: key.encrypt(record, LASTING, { recipient, subject } satisfies Lasting),
      // The reply address and the message are null once the mail was sent, because they are then deleted.
      personalMessage:
        (replyTo ?? message) ? key.encrypt(record, PASSING, { replyTo, message } satisfies Passing) : null,
    };
  }
}

const idOf = ({ id }: Pick<PassMailRow, 'id'>) => `mail:${id}`;
