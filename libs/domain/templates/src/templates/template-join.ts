/**
 * Returns SQL that joins the template of a row, as `t`. The libs that depend on this one read only these columns of
 * `t`: `archived_at`, `updated_at`, `changed_in`, `revision`, `created_at`, `issuer_name`.
 * @param accountId the SQL of the column with the account. @param templateId the SQL of the column with the template's
 * id
 */
export function joinTemplate(accountId: string, templateId: string): string {
  return `JOIN template t ON t.account_id = ${accountId} AND t.id = ${templateId}`;
}
