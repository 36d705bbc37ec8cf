import { Injectable } from '@nestjs/common';
import { joinTemplate } from '@passwright/templates';
import type { PassState } from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';
import type { PassMessage } from '../content/pass.entity.js';

/** Maximum number of messages that a pass shows. */
const MOST_SHOWN = 10;
/**
 * Maximum size of these messages as JSON: enough for ten messages in one language. With many languages, a pass keeps
 * fewer messages.
 */
const MOST_SHOWN_BYTES = 24_000;

/** The key of a field and the value that the field must have in a pass. */
export interface WantedField {
  readonly key: string;
  readonly value: string;
  /** True if the template itself has this value. Passes without their own field of this key inherit it. */
  readonly inherited: boolean;
}

/** The passes of a template that get a message. */
export interface Audience {
  readonly accountId: string;
  readonly templateId: string;
  /** Null for all passes of the template. */
  readonly passId: string | null;
  readonly fields: readonly WantedField[];
  /** Selects only passes that expire at or after this time. */
  readonly expiresFrom: Date | null;
  /** Selects only passes that expire before this time. */
  readonly expiresBefore: Date | null;
}

/** A pass of the template, with the data that decides whether its holder gets a message. */
export interface AudiencePass {
  readonly passId: string;
  readonly serialNumber: string;
  readonly state: PassState;
  /** True if the pass has the fields and the expiry that the audience requires. */
  readonly matches: boolean;
  /** True if the pass is prepared for a message, so that devices show the message as a change. */
  readonly isPrepared: boolean;
}

/** Reads passes for messages and writes the messages that they show. */
@Injectable()
export class MessagedPassesRepository {
  /**
   * Returns the next passes of a template in the order of their ids, including passes that the audience excludes.
   * @param locks true to lock the passes until the transaction ends; the caller must then have locked the template
   */
  page(
    manager: EntityManager,
    audience: Audience,
    afterPassId: string,
    limit: number,
    now: Date,
    locks: boolean,
  ): Promise<AudiencePass[]> {
    const { accountId, templateId, passId, fields, expiresFrom, expiresBefore } = audience;
    const values = [accountId, templateId, now, JSON.stringify(fields), expiresFrom, expiresBefore, limit];
    return manager.query<AudiencePass[]>(pageSql(passId !== null, locks), [...values, passId ?? afterPassId]);
  }

  /** Prepares passes for their first message. @returns the serial numbers of the changed passes */
  async prepare(tx: EntityManager, accountId: string, serialNumbers: readonly string[], now: Date): Promise<string[]> {
    return serialsOf(await tx.query<Changed>(prepareSql, [accountId, serialNumbers, now]));
  }

  /** Adds a message before the earlier messages. @returns the serial numbers of the changed passes */
  async show(
    tx: EntityManager,
    accountId: string,
    serialNumbers: readonly string[],
    message: Omit<PassMessage, 'sentAt'>,
    now: Date,
  ): Promise<string[]> {
    const { id, title, text, topic, translations } = message;
    const values = [
      accountId,
      serialNumbers,
      now,
      JSON.stringify({ id, title, text, topic, ...(translations && { translations }) }),
    ];
    return serialsOf(await tx.query<Changed>(showSql, values));
  }
}

type Changed = [{ serial_number: string }[], number];

const serialsOf = ([rows]: Changed): string[] => rows.map(({ serial_number }) => serial_number);

/** SQL condition that a pass has the wanted fields. A pass's own field hides the template's field with the same key. */
const matchesSql = `
  ($5::timestamptz IS NULL OR coalesce(p.expires_at >= $5::timestamptz, false))
  AND ($6::timestamptz IS NULL OR coalesce(p.expires_at < $6::timestamptz, false))
  AND NOT EXISTS (
    SELECT FROM jsonb_to_recordset($4::jsonb) AS wanted(key text, value text, inherited boolean)
    WHERE NOT coalesce(
      (SELECT own.field ->> 'value' = wanted.value FROM jsonb_array_elements(p.fields || p.back_fields) AS own(field)
       WHERE own.field ->> 'key' = wanted.key LIMIT 1),
      wanted.inherited))`;

export function pageSql(isOne: boolean, locks: boolean): string {
  return `
  SELECT p.id AS "passId", p.serial_number AS "serialNumber",
    CASE WHEN p.voided_at IS NOT NULL OR t.archived_at IS NOT NULL THEN 'voided'
      WHEN p.redeemed_at IS NOT NULL THEN 'redeemed'
      WHEN p.expires_at <= $3 THEN 'expired'
      WHEN p.valid_from > $3 THEN 'not_yet_valid'
      ELSE 'valid' END AS state,
    ${matchesSql} AS matches, p.messages IS NOT NULL AS "isPrepared"
  FROM pass p ${joinTemplate('$1', 'p.template_id')}
  WHERE p.account_id = $1 AND p.template_id = $2 AND p.id ${isOne ? '=' : '>'} $8
  ORDER BY p.id LIMIT $7${locks ? ' FOR NO KEY UPDATE OF p' : ''}`;
}

/**
 * Changes the messages of passes. Each change is dated at least a second after the previous change of the pass and its
 * template; see `nextUpdate`. A query computes the messages, because Citus rejects the expression in an UPDATE.
 * @param messages the new messages of the pass `p` in SQL
 */
const changeSql = (condition: string, messages: string) => `
  WITH change AS MATERIALIZED (
    SELECT p.serial_number, dated.changed_at, ${messages} AS messages
    FROM unnest($2::text[]) AS k(serial_number)
    JOIN pass p ON p.account_id = $1 AND p.serial_number = k.serial_number
    ${joinTemplate('$1', 'p.template_id')}
    CROSS JOIN LATERAL (
      SELECT greatest($3::timestamptz, p.updated_at + interval '1 second', t.updated_at + interval '1 second') AS changed_at
    ) AS dated
    WHERE ${condition}
    ORDER BY p.id FOR NO KEY UPDATE OF p
  )
  UPDATE pass p SET version = p.version + 1, updated_at = change.changed_at, messages = change.messages
  FROM change WHERE p.account_id = $1 AND p.serial_number = change.serial_number
  RETURNING p.serial_number`;

const prepareSql = changeSql('p.messages IS NULL', `'[]'::jsonb`);

const showSql = changeSql(
  'true',
  `
    jsonb_build_array($4::jsonb || jsonb_build_object(
      'sentAt', to_char(dated.changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
    || coalesce((
      SELECT jsonb_agg(shown.message ORDER BY shown.place)
      FROM (
        SELECT message, place, sum(octet_length(message::text)) OVER (ORDER BY place) AS bytes
        FROM jsonb_array_elements(p.messages) WITH ORDINALITY AS kept(message, place)
        WHERE $4::jsonb ->> 'topic' IS NULL OR message ->> 'topic' IS DISTINCT FROM $4::jsonb ->> 'topic'
      ) AS shown
      WHERE shown.place < ${MOST_SHOWN} AND shown.bytes + octet_length($4::jsonb::text) <= ${MOST_SHOWN_BYTES}
    ), '[]'::jsonb)`,
);
