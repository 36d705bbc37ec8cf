import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Counts the ids of an account's members, in its row of `membership_settings`. */
@Injectable()
export class MemberIdsRepository {
  /**
   * Reserves the next ids. Other creations in the account wait until `tx` ends, because ids have no gaps, so call it as
   * late as possible. @returns the first of `count` ids
   */
  async next(tx: EntityManager, accountId: string, count: number): Promise<number> {
    const [rows] = await tx.query<[{ last_member_id: number }[], number]>(
      'UPDATE membership_settings SET last_member_id = last_member_id + $2 WHERE account_id = $1 RETURNING last_member_id',
      [accountId, count],
    );
    const last = rows[0]?.last_member_id;
    if (last === undefined) throw new Error('Members are made by settings that are locked');
    return last - count + 1;
  }
}
