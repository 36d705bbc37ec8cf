import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { PassAddress } from './pass-links.js';
import { canExist } from './passes.repository.js';

/** What is known of passes that were deleted. */
@Injectable()
export class DeletedPassesRepository {
  constructor(private readonly database: Database) {}

  /** Whether a pass of this address was deleted; there may be a new one by now. */
  async has(address: PassAddress): Promise<boolean> {
    if (!canExist(address)) return false;
    const { accountId, templateId, passId } = address;
    const rows = await this.database.reads.query<unknown[]>(
      'SELECT FROM deleted_pass WHERE account_id = $1 AND template_id = $2 AND pass_id = $3 LIMIT 1',
      [accountId, templateId, passId],
    );
    return rows.length > 0;
  }
}
