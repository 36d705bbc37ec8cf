import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { UserEncryption } from '../users/user-encryption.service.js';

/** An account in the operator's list. */
export interface ListedAccount {
  readonly id: string;
  readonly name: string;
  readonly industry: string | null;
  readonly test: boolean;
  readonly createdAt: Date;
  readonly users: number;
}

const accounts = `
  SELECT a.id, a.name, a.industry, a.is_test AS test, a.created_at AS "createdAt",
    (SELECT count(*)::integer FROM account_member m WHERE m.account_id = a.id) AS users
  FROM account a`;

/** Lists all accounts for operators. API requests never use it. */
@Injectable()
export class AccountDirectory {
  constructor(
    private readonly database: Database,
    private readonly encryption: UserEncryption,
  ) {}

  /**
   * Lists accounts, newest first.
   * @param text a part of the account's name in upper or lower case, its exact id, or the exact e-mail of a user; null
   * lists all accounts
   * @param besides ids of further accounts to list
   */
  async list(text: string | null, limit: number, besides: readonly string[] = []): Promise<ListedAccount[]> {
    const emails = text === null ? [] : await this.encryption.formsOf(text);
    return this.database.reads.query<ListedAccount[]>(
      `${accounts}
       WHERE $1::text IS NULL OR strpos(lower(a.name), lower($1)) > 0 OR a.id = $1 OR a.id = ANY ($4::text[])
         OR EXISTS (SELECT FROM account_member m JOIN app_user u USING (uid)
                    WHERE m.account_id = a.id AND lower(u.email) = ANY ($3::text[]))
       ORDER BY a.created_at DESC, a.id DESC LIMIT $2`,
      [text, limit, emails, besides],
    );
  }

  async find(accountId: string): Promise<ListedAccount | null> {
    const [account] = await this.database.reads.query<ListedAccount[]>(`${accounts} WHERE a.id = $1`, [accountId]);
    return account ?? null;
  }
}
