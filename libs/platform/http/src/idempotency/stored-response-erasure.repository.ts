import { Injectable } from '@nestjs/common';
import { type AppError, errorBody } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { HttpOptions } from '../http.options.js';
import { StoredResponseEncryptionService } from './stored-response-encryption.service.js';

/** The traces of a person that stored responses may contain. */
export interface ResponseSubject {
  readonly email: string | null;
  readonly passes: readonly { readonly templateId: string; readonly passId: string }[];
  /** Ids of the mails that sent the passes. */
  readonly mailIds: readonly string[];
}

/** Erases what stored responses contain about a person. */
@Injectable()
export class StoredResponseErasureRepository {
  constructor(
    private readonly encryption: StoredResponseEncryptionService,
    private readonly options: HttpOptions,
  ) {}

  /**
   * Replaces the stored responses of an account that mention a person with an error. A client that repeats such a
   * request gets the error, and the service creates nothing. Reads all stored responses of the account.
   */
  async erase(
    tx: EntityManager,
    accountId: string,
    { email, passes, mailIds }: ResponseSubject,
    failure: AppError,
  ): Promise<void> {
    const ids = [passes.map(({ templateId }) => templateId), passes.map(({ passId }) => passId)];
    const emails = email === null ? [] : this.encryption.namesOf(accountId, email);
    const body = JSON.stringify(errorBody(failure, this.options.errorHelpUrl));
    await tx.query(eraseSql, [accountId, email, ...ids, body, emails, mailIds, failure.statusCode]);
  }
}

/**
 * Replaces every response about a pass, a member or a mail. Finds a pass by any link to its page, a member by its
 * `templateId` and `passId`, and a mail by its own id.
 */
const eraseSql = `
  WITH passes AS MATERIALIZED (
    SELECT template_id || '/' || pass_id AS name FROM unnest($3::text[], $4::text[]) AS p(template_id, pass_id)
  )
  UPDATE idempotency_key SET status_code = $8, body = $5, sealed = NULL, names = NULL,
    headers = '{"content-type":"application/json; charset=utf-8"}'
  WHERE account_id = $1 AND status_code IS NOT NULL AND (
    names && ($6::text[] || ARRAY(SELECT 'pass:' || name FROM passes)
      || ARRAY(SELECT 'mail:' || mail FROM unnest($7::text[]) AS mail))
    OR position(lower($2) IN lower(body)) > 0
    OR EXISTS (SELECT FROM regexp_matches(body, '/p/[^/"]+/([^/"]+/[^/"?]+)"', 'g') AS link
      WHERE link[1] IN (SELECT name FROM passes))
    OR substring(body FROM '"templateId":"([^"]+)"') || '/' || substring(body FROM '"passId":"([^"]+)"')
      IN (SELECT name FROM passes)
    OR substring(body FROM '^\\{"id":"([^"]+)"') = ANY ($7::text[])
  )`;
