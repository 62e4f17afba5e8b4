/** Versions of templates in references: `debian12@3`, `debian12@v2`, `debian12@latest`. */
import type { ApiObject } from '../../client/client.ts';
import { AmbiguousError, NotFoundError } from '../../client/errors.ts';
import { getValue } from '../output/cells.ts';

/** Names with versions. Names of templates do not contain the separator. */
const versionedType = 'template';
const separator = '@';
const latest = 'latest';

interface VersionReference {
  readonly name: string;
  readonly version?: string;
}

/** Splits a reference into a name and a version; only templates have versions. */
export function splitVersion(word: string, type: string): VersionReference {
  const at = type === versionedType ? word.lastIndexOf(separator) : -1;
  return at < 1 ? { name: word } : { name: word.slice(0, at), version: word.slice(at + 1) };
}

/** Selects the templates of a version among those of one name: by number, else by version name. */
export function selectVersion(
  templates: readonly ApiObject[],
  { version }: VersionReference,
): ApiObject[] {
  if (version === undefined) return [...templates];
  const number = version === latest ? Math.max(...templates.map(getNumber)) : Number(version);
  const numbered = templates.filter((one) => version !== '' && getNumber(one) === number);
  if (numbered.length > 0) return numbered;
  return templates.filter((one) => version !== '' && getVersionName(one) === version);
}

/** Throws `NotFoundError` with the versions if only the version of a template does not exist. */
export function requireKnownVersion(
  listed: readonly ApiObject[],
  { name, version }: VersionReference,
  type: string,
): void {
  if (type !== versionedType || version === undefined) return;
  const templates = listed.filter((one) => one['name'] === name);
  if (templates.length === 0) return;
  const references = sortByVersion(templates).map((one) => formatVersion(name, one));
  throw new NotFoundError(`templates/${name} has no version "${version}"`, {
    hint: `use one of ${references.join(', ')}, or ${name}${separator}${latest}`,
    next: references.map((reference) => `templates/${reference}`),
  });
}

/** Whether objects are versions of one template, distinguished by their numbers. */
export function areVersions(type: string, items: readonly ApiObject[]): boolean {
  return type === versionedType && new Set(items.map(getNumber)).size === items.length;
}

/** Creates the error for the name of a template with several versions. */
export function createVersionError(
  label: string,
  name: string,
  templates: readonly ApiObject[],
): AmbiguousError {
  const versions = sortByVersion(templates).map((one) => [formatVersion(name, one), one] as const);
  const lines = versions.map(([reference, one]) =>
    `  templates/${reference}  ${getVersionName(one)}`.trimEnd(),
  );
  return new AmbiguousError(`${label} has ${versions.length} versions:\n${lines.join('\n')}`, {
    hint: `use ${name}${separator}${latest}, or one of the versions`,
    next: versions.map(([reference]) => `templates/${reference}`),
  });
}

/** Sorts templates by version number. */
function sortByVersion(templates: readonly ApiObject[]): readonly ApiObject[] {
  return templates.toSorted((one, other) => getNumber(one) - getNumber(other));
}

/** Formats the reference to a version: `debian12@3`. */
function formatVersion(name: string, template: ApiObject): string {
  return `${name}${separator}${getNumber(template)}`;
}

/** Returns the name of a version; empty if it has none. */
function getVersionName(template: ApiObject): string {
  return String(getValue(template, 'version.version_name') ?? '');
}

/** Returns the name of an object with its version, for `collapseVersions`. */
export function getVersionedName(type: string, name: string, item: ApiObject): string {
  return type === versionedType ? formatVersion(name, item) : name;
}

/**
 * Returns names for completion. The name alone of a template with several versions is ambiguous;
 * each version and `@latest` replace it.
 */
export function collapseVersions(type: string, names: readonly string[]): readonly string[] {
  if (type !== versionedType) return names;
  const versions = new Map<string, Set<number>>();
  for (const text of names) {
    const { name, version } = splitVersion(text, type);
    versions.set(name, (versions.get(name) ?? new Set()).add(Number(version)));
  }
  return [...versions].flatMap(([name, numbers]) =>
    numbers.size === 1
      ? [name]
      : [...[...numbers].sort((a, b) => a - b), latest].map((one) => `${name}${separator}${one}`),
  );
}

/** Returns the number of a version. A template without versions is the first one. */
function getNumber(template: ApiObject): number {
  return Number(getValue(template, 'version.version_number') ?? 1);
}
