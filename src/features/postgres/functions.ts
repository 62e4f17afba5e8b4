/** SQL functions of SQLite that PostgreSQL lacks. */

/**
 * Statements that create or replace the functions. Semantics follow SQLite: JSON booleans are 1 and
 * 0, an aggregated empty array is `[]`, an empty total is 0.
 */
export const functions: readonly string[] = [
  `CREATE OR REPLACE FUNCTION json_extract(doc text, path text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE json_typeof(value) WHEN 'boolean' THEN CASE value #>> '{}' WHEN 'true' THEN '1' ELSE '0' END
      ELSE value #>> '{}' END
    FROM (SELECT doc::json #> string_to_array(ltrim(translate(substr(path, 2), '[]', '.'), '.'), '.')) AS found (value)
    $$`,
  `CREATE OR REPLACE FUNCTION json_each(doc text) RETURNS TABLE (key bigint, value text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100 AS $$
    SELECT ordinality - 1, element #>> '{}'
    FROM json_array_elements(doc::json) WITH ORDINALITY AS elements (element, ordinality)
    $$`,
  `CREATE OR REPLACE FUNCTION json_each(doc text, path text) RETURNS TABLE (key bigint, value text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT ordinality - 1, element #>> '{}'
    FROM json_array_elements(coalesce(doc::json #> string_to_array(substr(path, 3), '.'), '[]'::json))
      WITH ORDINALITY AS elements (element, ordinality)
    $$`,
  `CREATE OR REPLACE FUNCTION instr(text, text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT strpos($1, $2) $$`,
  // The store only uses the wildcard `*`, and escapes other special characters with brackets.
  `CREATE OR REPLACE FUNCTION glob(pattern text, value text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT value LIKE replace(replace(replace(replace(replace(
      replace(replace(replace(pattern, '\\', '\\\\'), '%', '\\%'), '_', '\\_'),
      '[*]', chr(1)), '[?]', '?'), '[[]', '['), '*', '%'), chr(1), '*')
    $$`,
  `CREATE OR REPLACE FUNCTION julianday(moment text) RETURNS double precision
    LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT extract(epoch FROM CASE moment WHEN 'now' THEN statement_timestamp() ELSE moment::timestamptz END)
      / 86400.0 + 2440587.5
    $$`,
  aggregate('total(double precision)', 'float8pl', 'double precision', "INITCOND = '0'"),
  `CREATE OR REPLACE FUNCTION json_array_of(anyarray) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT coalesce(array_to_json($1)::text, '[]') $$`,
  aggregate('json_group_array(text)', 'array_append', 'text[]', 'FINALFUNC = json_array_of'),
  aggregate('json_group_array(bigint)', 'array_append', 'bigint[]', 'FINALFUNC = json_array_of'),
];

function aggregate(signature: string, step: string, state: string, more: string): string {
  return `CREATE OR REPLACE AGGREGATE ${signature} (SFUNC = ${step}, STYPE = ${state}, ${more})`;
}
