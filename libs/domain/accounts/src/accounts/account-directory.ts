import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { UserEncryption } from '../users/user-encryption.js';

/** An account as it is listed to operators. */
export interface ListedAccount {
  readonly id: string;
  readonly name: string;
  readonly industry: string | null;
  readonly createdAt: Date;
  readonly users: number;
  readonly planId: string | null;
  readonly status: string | null;
}

const accounts = `
  SELECT a.id, a.name, a.industry, a.created_at AS "createdAt", b.plan_id AS "planId", b.status,
    (SELECT count(*)::integer FROM account_member m WHERE m.account_id = a.id) AS users
  FROM account a LEFT JOIN billing b ON b.account_id = a.id`;

/** All accounts, for operators: nothing that serves callers asks it. */
@Injectable()
export class AccountDirectory {
  constructor(
    private readonly database: Database,
    private readonly encryption: UserEncryption,
  ) {}

  /**
   * The newest first. @param text that is part of the name, or is the id, the payment provider's id of the customer or a user's
   * e-mail; whichever letters are capital
   */
  async list(text: string | null, limit: number): Promise<ListedAccount[]> {
    const emails = text === null ? [] : await this.encryption.formsOf(text);
    return this.database.reads.query<ListedAccount[]>(
      `${accounts}
       WHERE $1::text IS NULL OR strpos(lower(a.name), lower($1)) > 0 OR $1 IN (a.id, b.payment_customer_id)
         OR EXISTS (SELECT FROM account_member m JOIN app_user u USING (uid)
                    WHERE m.account_id = a.id AND lower(u.email) = ANY ($3::text[]))
       ORDER BY a.created_at DESC, a.id DESC LIMIT $2`,
      [text, limit, emails],
    );
  }

  async find(accountId: string): Promise<ListedAccount | null> {
    const [account] = await this.database.reads.query<ListedAccount[]>(`${accounts} WHERE a.id = $1`, [accountId]);
    return account ?? null;
  }
}
