/*
 * Every deletion of a pass or an API key also deletes its plans. All deletions lock plans in the same order, to avoid
 * deadlocks.
 */

/** Locks the plans of an API key. Orders the plans by pass and then by id, like transactions that delete passes. */
export const lockPlansOfKeySql = `
  SELECT FROM agent_plan WHERE account_id = $1 AND key_id = $2
  ORDER BY template_id || '/' || pass_id, id FOR UPDATE`;

/**
 * Returns SQL that locks the plans of a locked pass in the order of their ids.
 * @param accountId the SQL of the account's id. @param templateId the SQL of the template's id. @param passId the SQL
 * of the pass's id
 */
export function lockPlansOfPass(accountId: string, templateId: string, passId: string): string {
  return `SELECT FROM agent_plan
    WHERE account_id = ${accountId} AND template_id = ${templateId} AND pass_id = ${passId} ORDER BY id FOR UPDATE`;
}
