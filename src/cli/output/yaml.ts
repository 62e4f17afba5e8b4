/** YAML. Loads its library, which is larger than everything else here. */
import { escapeControlChars } from '../../escape-control-chars.ts';

/** One value as YAML; quoted throughout where plain text could steer a terminal. */
export async function yamlText(value: unknown): Promise<string> {
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
