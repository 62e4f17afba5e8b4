/** Default choices in an OVF document: configuration, ranges, properties. */
import type { XmlNode } from '../wire/xml-tree.ts';
import { childText, type OvfDocument } from './document.ts';

/** Hardware items of the chosen configuration, in order, and items of other configurations. */
export interface ChosenItems {
  readonly items: readonly XmlNode[];
  readonly others: readonly XmlNode[];
}

/**
 * Selects the items of the default configuration (DSP0243, section 9.8), or of the first one if
 * none is marked.
 */
export function selectItems(document: OvfDocument, section: XmlNode | undefined): ChosenItems {
  const configuration = defaultConfiguration(document);
  const items: XmlNode[] = [];
  const others: XmlNode[] = [];
  for (const item of section?.children ?? []) {
    const named = document.attribute(item, 'configuration')?.trim().split(/\s+/);
    const isChosen = named === undefined || named.includes(configuration ?? '');
    (isChosen ? items : others).push(item);
  }
  // An item of a configuration replaces the general item of the same device.
  const isSpecial = (item: XmlNode) => document.attribute(item, 'configuration') !== undefined;
  const replaced = new Set(items.filter(isSpecial).flatMap((item) => getInstance(item) ?? []));
  const left = items.filter((item) => isSpecial(item) || !replaced.has(getInstance(item) ?? ''));
  // Limits of a range come first, so that the value itself takes precedence if it exists.
  const isLimit = (item: XmlNode) => /^(?:min|max)$/.test(document.attribute(item, 'bound') ?? '');
  return { items: [...left.filter(isLimit), ...left.filter((item) => !isLimit(item))], others };
}

function defaultConfiguration(document: OvfDocument): string | undefined {
  const section = document.section(document.root, 'DeploymentOption');
  const known = (section?.children ?? []).filter(({ name }) => name === 'Configuration');
  const marked = known.find((one) => document.attribute(one, 'default') === 'true') ?? known[0];
  return marked && document.attribute(marked, 'id');
}

function getInstance(item: XmlNode): string | undefined {
  return childText(item, 'InstanceID') ?? childText(item, 'InstanceId');
}

/** Replaces references to properties (`${size}`) by their defaults (section 9.5.1). */
export function withProperties(document: OvfDocument, value: string): string {
  return value.replace(
    /\$\{([^}]+)\}/g,
    (whole, key: string) => propertyIn(document, document.root, key) ?? whole,
  );
}

function propertyIn(document: OvfDocument, node: XmlNode, key: string): string | undefined {
  for (const child of node.children) {
    const isIt = child.name === 'Property' && document.attribute(child, 'key') === key;
    const value = isIt ? document.attribute(child, 'value') : propertyIn(document, child, key);
    if (value !== undefined) return value;
  }
  return undefined;
}
