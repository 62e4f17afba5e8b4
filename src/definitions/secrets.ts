/**
 * Placeholders for passwords and keys in definitions: `root_password: { secret:
 * hosts/h1/root_password }`.
 */
import { isRecord } from '../records.ts';

/** Name of a placeholder; undefined for other values. */
export function getSecretName(value: unknown): string | undefined {
  if (!isRecord(value) || Object.keys(value).join() !== 'secret') return undefined;
  return String(value['secret']);
}

/** Names of all placeholders in a value. */
export function listSecrets(value: unknown): readonly string[] {
  const name = getSecretName(value);
  if (name !== undefined) return [name];
  if (Array.isArray(value)) return value.flatMap(listSecrets);
  return isRecord(value) ? Object.values(value).flatMap(listSecrets) : [];
}

/** Copy of a value with each placeholder replaced by `fill`. */
export function fillSecrets<T>(value: T, fill: (name: string) => string): T;
export function fillSecrets(value: unknown, fill: (name: string) => string): unknown {
  const name = getSecretName(value);
  if (name !== undefined) return fill(name);
  if (Array.isArray(value)) return value.map((one: unknown) => fillSecrets(one, fill));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, one]) => [member, fillSecrets(one, fill)]),
  );
}
