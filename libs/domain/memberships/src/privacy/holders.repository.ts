import { Injectable } from '@nestjs/common';
import { PersonalData } from '@passwright/accounts';
import { Database } from '@passwright/database';
import type { PassAddress } from '@passwright/passes';
import { MemberEncryptionService } from '../members/member-encryption.service.js';
import { Member } from '../members/member.entity.js';

/** Finds the data of one holder. */
@Injectable()
export class HoldersRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: MemberEncryptionService,
    private readonly keys: PersonalData,
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

  /** Returns the passes in `passes` that belong to a member other than `except`, each as `<templateId>/<passId>`. */
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
}
