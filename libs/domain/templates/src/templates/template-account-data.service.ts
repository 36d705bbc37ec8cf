import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountData, type Pause } from '@passwright/accounts';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { takeTemplate } from './template-lock.js';

const templatesAtOnce = 200;

/**
 * Deletes the templates of a deleted account. First clears their content, which also overwrites Google's classes,
 * because Google does not delete classes.
 */
@Injectable()
export class TemplateAccountData implements OnModuleInit {
  constructor(
    private readonly data: AccountData,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    // Archive the templates before members and passes are deleted, so that a running import can issue no more of them.
    this.data.add({ floor: 35, steps: [{ run: (accountId, pause) => this.archiveAll(accountId, pause) }] });
    this.data.add({
      floor: 10,
      steps: [
        { table: 'active_pass', key: ['template_id', 'shard'], hidden: 'all' },
        { table: 'template_version', key: ['template_id', 'revision'], hidden: 'all' },
        { table: 'template', key: ['id'], hidden: ['changed_in'], staysUntilNotified: true },
        { run: (accountId, pause) => this.emptyTemplates(accountId, pause) },
      ],
    });
  }

  /** Archives each template under its lock, so after all transactions that issue its passes have ended. */
  private async archiveAll(accountId: string, pause: Pause): Promise<void> {
    for (let after = ''; ;) {
      const [template] = await this.database.reads.query<{ id: string }[]>(unarchivedSql, [accountId, after]);
      if (!template && after === '') return;
      // Begin again, because templates may have been saved meanwhile.
      after = template?.id ?? '';
      if (!template) continue;
      await this.database.transaction(async (tx) => {
        await takeTemplate(tx, accountId, template.id);
        await tx.query(archiveSql, [accountId, template.id, this.clock.now()]);
      });
      pause();
    }
  }

  private async emptyTemplates(accountId: string, pause: Pause): Promise<void> {
    for (let after: string | null = ''; after !== null;) {
      const values = [accountId, after, templatesAtOnce, this.clock.now()];
      const rows: { id: string }[] = await this.database.transaction((tx) => tx.query(emptyPageSql, values));
      after = rows.length === templatesAtOnce ? (rows.at(-1)?.id ?? null) : null;
      pause();
    }
  }
}

const unarchivedSql = `
  SELECT id FROM template WHERE account_id = $1 AND id > $2 AND archived_at IS NULL ORDER BY account_id, id LIMIT 1`;

/** SQL that archives a template. Its new revision makes nodes that know the template read it again for the next pass. */
const archiveSql = `
  UPDATE template SET archived_at = $3, revision = revision + 1,
    updated_at = greatest($3::timestamptz, updated_at + interval '1 second')
  WHERE account_id = $1 AND id = $2 AND archived_at IS NULL`;

/**
 * SQL that clears templates. Google rejects a loyalty class without a logo, so a cleared template gets the sample logo.
 */
const emptyPageSql = `
  WITH page AS MATERIALIZED (
    SELECT id, CASE type WHEN 'membership' THEN '{"icon": {"url": "", "source": "", "recipe": 0, "files": [
        {"wallet": "google", "name": "logo.png", "key": "images/samples/icon.png", "width": 660, "height": 660, "sizeBytes": 0}
      ]}}'::jsonb ELSE '{}' END AS images, updated_at + interval '1 second' AS later
    FROM template WHERE account_id = $1 AND id > $2 ORDER BY account_id, id LIMIT $3 FOR NO KEY UPDATE
  ), emptied AS (
    UPDATE template t SET title = '-', issuer_name = '-', locations = '[]', location = NULL, fields = '[]',
      back_fields = '[]', primary_label = NULL, start_date = NULL, start_day = NULL, end_date = NULL, doors_open = NULL,
      translations = CASE WHEN t.translations IS NOT NULL THEN '{}'::jsonb END, actions = NULL, revision = revision + 1,
      updated_at = greatest($4::timestamptz, page.later), archived_at = coalesce(archived_at, $4),
      images = page.images, localised_images = NULL
    FROM page WHERE t.account_id = $1 AND t.id = page.id AND (t.archived_at IS NULL
      OR (t.title, t.issuer_name, t.locations, t.location, t.fields, t.back_fields, t.primary_label, t.start_date, t.start_day,
        t.end_date, t.doors_open, nullif(t.translations, '{}'), t.actions, t.localised_images,
        t.images)
      IS DISTINCT FROM ('-', '-', '[]', NULL, '[]', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, page.images))
  )
  SELECT id FROM page ORDER BY id`;
