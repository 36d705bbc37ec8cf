import { joinTemplate } from '@passwright/templates';

/*
 * SQL with which the wallet libs read passes in their own statements. They read only these columns: `account_id`,
 * `serial_number`, `template_id`, `updated_at`, `deleted_at` and `changed_in`.
 */

/** SQL: the passes `p` with their templates `t`, after FROM. */
export const passVersions = `pass p ${joinTemplate('p.account_id', 'p.template_id')}`;

/** SQL: the tombstones `x` of deleted passes, after FROM. */
export const deletedPassVersions = 'deleted_pass x';

/** Returns SQL that joins the pass `p` and its template `t`, or the tombstone `x`, to rows that name a pass and its template. */
export function joinVersions(held: string): string {
  return `
    LEFT JOIN pass p ON p.serial_number = ${held}.serial_number AND p.account_id = ${held}.account_id
    LEFT ${joinTemplate(`${held}.account_id`, `${held}.template_id`)}
    LEFT JOIN deleted_pass x ON x.serial_number = ${held}.serial_number AND x.account_id = ${held}.account_id`;
}
