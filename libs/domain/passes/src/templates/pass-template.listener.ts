import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import { Database } from '@passwright/database';
import { TemplateListener } from '@passwright/templates';
import type { EntityManager } from 'typeorm';

/**
 * Reports to the templates lib if and when passes of a template changed. Each query reads one index entry, however many
 * passes there are.
 */
@Listens(TemplateListener)
@Injectable()
export class PassTemplateListener extends TemplateListener {
  constructor(private readonly database: Database) {
    super();
  }

  override async hasPasses(accountId: string, templateId: string, tx?: EntityManager): Promise<boolean> {
    const passes = await (tx ?? this.database.reads).query<unknown[]>(
      'SELECT FROM pass WHERE account_id = $1 AND template_id = $2 LIMIT 1',
      [accountId, templateId],
    );
    return passes.length > 0;
  }

  override async lastPassUpdate(tx: EntityManager, accountId: string, templateId: string): Promise<Date | null> {
    const [row] = await tx.query<{ at: Date | null }[]>('SELECT last_pass_update($1, $2) AS at', [
      accountId,
      templateId,
    ]);
    return row?.at ?? null;
  }
}
