/** Placeholders of passwords and keys in definitions: `root_password: { secret: hosts/h1/root_password }`. */
import { isItem } from './document.ts';

/** The name of a placeholder; undefined for every other value. */
export function secretName(value: unknown): string | undefined {
  if (!isItem(value) || Object.keys(value).join() !== 'secret') return undefined;
  return String(value['secret']);
}

/** The names of all placeholders in a value. */
export function secretsIn(value: unknown): readonly string[] {
  const name = secretName(value);
  if (name !== undefined) return [name];
  if (Array.isArray(value)) return value.flatMap(secretsIn);
  return isItem(value) ? Object.values(value).flatMap(secretsIn) : [];
}

/** A copy of the value with what `fill` gives for each placeholder. */
export function withSecrets<T>(value: T, fill: (name: string) => string): T;
export function withSecrets(value: unknown, fill: (name: string) => string): unknown {
  const name = secretName(value);
  if (name !== undefined) return fill(name);
  if (Array.isArray(value)) return value.map((one: unknown) => withSecrets(one, fill));
  if (!isItem(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, one]) => [member, withSecrets(one, fill)]),
  );
}
