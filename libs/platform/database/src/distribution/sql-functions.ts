/**
 * Returns the definition of a function in PL/pgSQL if Citus cannot plan it in SQL, because it reads the tables of the
 * account in its parameter. Other functions stay unchanged.
 * @param definition the function as Postgres prints it
 */
export function inPlpgsql(definition: string): string {
  const readsTables = definition.includes(' LANGUAGE sql\n STABLE') && definition.includes('account_id = account');
  if (!readsTables) return definition;
  return definition
    .replace(/^ LANGUAGE sql$/m, ' LANGUAGE plpgsql')
    .replace(/AS \$function\$([^$]*)\$function\$/, 'AS $function$$ BEGIN RETURN ($1); END $function$$');
}
