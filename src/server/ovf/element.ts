/** Elements of a document that is written, as text. */
import { escapeAttribute, escapeText } from '../../wire/xml-characters.ts';

type Values = Readonly<Record<string, string | number | boolean | undefined>>;

/** An element with content that is XML already. Attributes without a value are left out. */
export function element(name: string, content: string, attributes: Values = {}): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escapeAttribute(String(value))}"`)
    .join('');
  return content === '' ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`;
}

/** Elements with texts, one after the other; what has no value is left out. */
export function texts(members: Values): string {
  return Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => element(name, escapeText(String(value))))
    .join('');
}
