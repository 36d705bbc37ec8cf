import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { PassAddress } from '@passwright/passes';
import { type EntityManager, Raw } from 'typeorm';
import { MailEncryptionService } from './mail-encryption.service.js';
import { PassMailRow } from './pass-mail.entity.js';

/** Finds and deletes the mails that went to one holder. */
@Injectable()
export class HolderMailsRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: MailEncryptionService,
  ) {}

  /** Lists passes that were sent to an e-mail address, ignoring case, in the order of their ids. */
  async mailedTo(accountId: string, email: string, after: PassAddress | null, limit: number): Promise<PassAddress[]> {
    const forms = await this.encryption.formsOf(accountId, email);
    const values = [accountId, forms, after?.templateId ?? '', after?.passId ?? '', limit];
    return this.database.reads.query<PassAddress[]>(mailedToSql, values);
  }

  /**
   * Deletes mails about these passes to an e-mail address. Keeps the passes.
   * @returns the number of deleted mails
   */
  async deleteMailsTo(tx: EntityManager, accountId: string, email: string, passes: readonly PassAddress[]) {
    const ids = [passes.map(({ templateId }) => templateId), passes.map(({ passId }) => passId)];
    const forms = await this.encryption.formsOf(accountId, email, tx);
    const [, count] = await tx.query<[unknown, number]>(deleteMailsSql, [accountId, forms, ...ids]);
    return count;
  }

  /** Lists the ids of the mails about passes of an account. */
  async listIds(tx: EntityManager, accountId: string, passes: readonly PassAddress[]): Promise<string[]> {
    const ids = [passes.map(({ templateId }) => templateId), passes.map(({ passId }) => passId)];
    const rows = await tx.query<{ id: string }[]>(listIdsSql, [accountId, ...ids]);
    return rows.map(({ id }) => id);
  }

  /** Counts the mails about a pass. */
  count(tx: EntityManager, { accountId, templateId, passId }: PassAddress): Promise<number> {
    return tx.countBy(PassMailRow, { accountId, templateId, passId });
  }

  /**
   * Lists the mails about a pass, oldest first.
   * @param recipient omits mails to other e-mail addresses; ignores case
   */
  async list({ accountId, templateId, passId }: PassAddress, recipient: string | null): Promise<PassMailRow[]> {
    const to = recipient === null ? {} : { recipient: await this.recipientIs(accountId, recipient) };
    const mails = await this.database.reads.find(PassMailRow, {
      where: { accountId, templateId, passId, ...to },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
    return this.encryption.openAll(mails);
  }

  private async recipientIs(accountId: string, recipient: string) {
    const forms = await this.encryption.formsOf(accountId, recipient);
    return Raw((column) => `lower(${column}) = ANY (:forms::text[])`, { forms });
  }
}

const mailedToSql = `
  SELECT DISTINCT account_id AS "accountId", template_id AS "templateId", pass_id AS "passId" FROM pass_mail
  WHERE account_id = $1 AND lower(recipient) = ANY ($2::text[]) AND (template_id, pass_id) > ($3, $4)
  ORDER BY template_id, pass_id LIMIT $5`;

const listIdsSql = `
  SELECT id FROM pass_mail
  WHERE account_id = $1 AND (template_id, pass_id) IN (SELECT * FROM unnest($2::text[], $3::text[]))`;

const deleteMailsSql = `
  DELETE FROM pass_mail WHERE account_id = $1 AND lower(recipient) = ANY ($2::text[])
    AND (template_id, pass_id) IN (SELECT * FROM unnest($3::text[], $4::text[]))`;
