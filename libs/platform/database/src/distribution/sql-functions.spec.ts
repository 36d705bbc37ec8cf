import { inPlpgsql } from './sql-functions.js';

describe('functions on Citus', () => {
  it('inPlpgsql rewrites an SQL function in PL/pgSQL if it reads the tables of an account', () => {
    expect(
      inPlpgsql(`CREATE OR REPLACE FUNCTION public.last_pass_update(account text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  SELECT max(updated_at) FROM pass_update_order WHERE account_id = account
$function$
`),
    ).toBe(`CREATE OR REPLACE FUNCTION public.last_pass_update(account text)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
AS $function$ BEGIN RETURN (
  SELECT max(updated_at) FROM pass_update_order WHERE account_id = account
); END $function$
`);
  });

  it('inPlpgsql leaves a function unchanged if it reads no table of an account', () => {
    const definition = `CREATE OR REPLACE FUNCTION public.server_identity()
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$ SELECT system_identifier FROM pg_control_system() $function$
`;
    expect(inPlpgsql(definition)).toBe(definition);
  });
});
