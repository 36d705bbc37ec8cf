/**
 * Returns the definition of a function that Citus can run. Citus cannot plan an SQL function that reads the tables of
 * the account in its parameter, so `inPlpgsql` rewrites such a function in PL/pgSQL. Leaves other functions as they
 * are.
 * @param definition the function as Postgres prints it
 */
export function inPlpgsql(definition: string): string {
  const readsTables = definition.includes(' LANGUAGE sql\n STABLE') && definition.includes('account_id = account');
  if (!readsTables) return definition;
  return definition
    .replace(/^ LANGUAGE sql$/m, ' LANGUAGE plpgsql')
    .replace(/AS \$function\$([^$]*)\$function\$/, 'AS $function$$ BEGIN RETURN ($1); END $function$$');
}
