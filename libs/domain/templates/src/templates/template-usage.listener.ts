import { Injectable } from '@nestjs/common';
import { UsageListener } from '@passwright/billing';
import { Listens } from '@passwright/core';

/** Reports the templates that are not archived, because usage counts only their passes. */
@Listens(UsageListener)
@Injectable()
export class TemplateUsageListener extends UsageListener {
  override countedTemplates(): string {
    return 'SELECT account_id, id AS template_id FROM template WHERE archived_at IS NULL';
  }
}
