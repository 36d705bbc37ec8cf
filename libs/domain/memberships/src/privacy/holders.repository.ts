import { Injectable } from '@nestjs/common';
import { PersonalData } from '@passwright/accounts';
import { Database } from '@passwright/database';
import { StoredResponseEncryptionService } from '@passwright/http';
import type { PassAddress } from '@passwright/passes';
import type { EntityManager } from 'typeorm';
import { MemberEncryptionService } from '../members/member-encryption.service.js';
import { Member } from '../members/member.entity.js';

/** The holder data to find in stored responses. */
export interface Traces {
  readonly email: string | null;
  readonly passes: readonly PassAddress[];
}

/** Finds the data of one holder. */
@Injectable()
export class HoldersRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: MemberEncryptionService,
    private readonly keys: PersonalData,
    private readonly responses: StoredResponseEncryptionService,
  ) {}

  async findByEmail(accountId: string, email: string): Promise<Member | null> {
    const forms = await this.keys.formsOf(accountId, email);
    const found = this.database.reads
      .createQueryBuilder(Member, 'member')
      .where('member.accountId = :accountId AND lower(member.email) = ANY(:forms::text[])', { accountId, forms });
    return this.encryption.open(await found.getOne());
  }

  async findByPass({ accountId, templateId, passId }: PassAddress): Promise<Member | null> {
    return this.encryption.open(await this.database.reads.findOneBy(Member, { accountId, templateId, passId }));
  }

  /**
   * Returns those of the passes that belong to a member, each as `<templateId>/<passId>`. Ignores the member `except`.
   */
  async membersPasses(accountId: string, passes: readonly PassAddress[], except: number | null): Promise<Set<string>> {
    const ids = [passes.map(({ templateId }) => templateId), passes.map(({ passId }) => passId)];
    const rows = await this.database.reads.query<{ name: string }[]>(
      `SELECT template_id || '/' || pass_id AS name FROM member
       WHERE account_id = $1 AND (template_id, pass_id) IN (SELECT * FROM unnest($2::text[], $3::text[]))
         AND id IS DISTINCT FROM $4`,
      [accountId, ...ids, except],
    );
    return new Set(rows.map(({ name }) => name));
  }

  /**
   * Empties the stored responses that mention a holder. A repeated request then gets this body instead and changes
   * nothing again. Scans all stored responses of the account once; they cover one day. Call it before the mails of the
   * passes are deleted, which lead to some of them.
   */
  async emptyKeptAnswers(tx: EntityManager, accountId: string, { email, passes }: Traces, body: string): Promise<void> {
    const ids = [passes.map(({ templateId }) => templateId), passes.map(({ passId }) => passId)];
    const emails = email === null ? [] : this.responses.namesOf(accountId, email);
    await tx.query(emptyAnswersSql, [accountId, email, ...ids, body, emails]);
  }
}

/** Matches every response about one resource: a pass has its links, a member both ids, a mail its own. */
const emptyAnswersSql = `
  WITH passes AS MATERIALIZED (
    SELECT template_id, pass_id, template_id || '/' || pass_id AS name
    FROM unnest($3::text[], $4::text[]) AS p(template_id, pass_id)
  )
  UPDATE idempotency_key SET status_code = 404, body = $5, sealed = NULL, names = NULL,
    headers = '{"content-type":"application/json; charset=utf-8"}'
  WHERE account_id = $1 AND status_code IS NOT NULL AND (
    names && ($6::text[] || ARRAY(SELECT 'pass:' || name FROM passes) || ARRAY(
      SELECT 'mail:' || mail.id FROM pass_mail mail JOIN passes
      ON mail.template_id = passes.template_id AND mail.pass_id = passes.pass_id WHERE mail.account_id = $1))
    OR position(lower($2) IN lower(body)) > 0
    OR substring(body FROM '/p/[^/"]+/([^/"]+/[^/"?]+)"') IN (SELECT name FROM passes)
    OR substring(body FROM '"templateId":"([^"]+)"') || '/' || substring(body FROM '"passId":"([^"]+)"')
      IN (SELECT name FROM passes)
    OR substring(body FROM '^\\{"id":"([^"]+)"') IN (SELECT mail.id FROM pass_mail mail JOIN passes
      ON mail.template_id = passes.template_id AND mail.pass_id = passes.pass_id WHERE mail.account_id = $1)
  )`;
