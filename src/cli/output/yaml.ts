/** YAML output. Loads its library, which is large. */
import { escapeControlChars } from '../../escape-control-chars.ts';

/** Formats a value as YAML. Quotes all texts if a plain one contains control characters. */
export async function formatYaml(value: unknown): Promise<string> {
  const { stringify } = (await import('yaml')).default;
  const text = stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
  if (escapeControlChars.text(text) === text) return text;
  const quoted = stringify(value, {
    lineWidth: 0,
    aliasDuplicateObjects: false,
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
  });
  return escapeControlChars.text(quoted);
}
