/** An OVF document that was read: where its parts are, whichever layout and prefixes it has. */
import { WireError } from '../../wire/index.ts';
import { readXmlTree, type XmlNode } from '../../wire/xml-tree.ts';
import { Refusal } from '../core/fault.ts';
import type { LayoutName } from './layout.ts';

const standard = /^http:\/\/schemas\.dmtf\.org\/ovf\/envelope\/1\/?$/;

/** Refuses a configuration with what is wrong with it. */
export function notOvf(why: string): Refusal {
  return new Refusal(400, 'Operation Failed', `The configuration is not an OVF document: ${why}.`);
}

export class OvfDocument {
  readonly root: XmlNode;
  /** The element of the machine. */
  readonly machine: XmlNode;
  readonly layout: LayoutName;
  readonly #prefix: string;

  /** Reads a document. Refuses with 400 what is none. */
  constructor(text: string) {
    this.root = treeOf(text);
    const { name, attributes } = this.root;
    if (name !== 'Envelope') throw notOvf(`its root element is ${name}, not Envelope`);
    const declared = [...attributes].find(
      ([key, value]) => key.startsWith('xmlns:') && standard.test(value),
    );
    this.#prefix = declared?.[0].slice('xmlns:'.length) ?? 'ovf';
    const machines = machinesIn(this.root);
    const [machine] = machines;
    if (!machine) throw notOvf('it holds neither Content nor VirtualSystem');
    if (machines.length > 1) throw notOvf(`it describes ${machines.length} machines, not one`);
    this.machine = machine;
    this.layout = machine.name === 'Content' ? 'ovf' : 'ova';
  }

  /** An attribute in the namespace of the standard, or in none. */
  attribute(node: XmlNode, name: string): string | undefined {
    return node.attributes.get(`${this.#prefix}:${name}`) ?? node.attributes.get(name);
  }

  /** A section of a node, by its kind: `VirtualHardware`. */
  section(node: XmlNode, kind: string): XmlNode | undefined {
    return node.children.find(
      (child) =>
        child.name === `${kind}Section` ||
        (child.name === 'Section' && typeOf(child).endsWith(`${kind}Section_Type`)),
    );
  }
}

function treeOf(text: string): XmlNode {
  try {
    return readXmlTree(text);
  } catch (error) {
    if (error instanceof WireError) throw notOvf(error.message);
    throw error;
  }
}

function machinesIn(root: XmlNode): XmlNode[] {
  return root.children.flatMap((child) => {
    if (child.name === 'VirtualSystemCollection') return machinesIn(child);
    return child.name === 'Content' || child.name === 'VirtualSystem' ? [child] : [];
  });
}

function typeOf(node: XmlNode): string {
  const found = [...node.attributes].find(([key]) => key.endsWith(':type') || key === 'type');
  return found?.[1] ?? '';
}

/** Text of a child; undefined where there is none, or an empty one. */
export function childText(node: XmlNode, name: string): string | undefined {
  return node.children.find((child) => child.name === name)?.text || undefined;
}

/** A whole number in a document. Refuses another text with 400. */
export function wholeNumber(text: string, what: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number)) {
    throw notOvf(`${what} is "${text.slice(0, 40)}", not a whole number`);
  }
  return number;
}

const namedUnits: Readonly<Record<string, number>> = {
  bytes: 1,
  kilobytes: 2 ** 10,
  megabytes: 2 ** 20,
  gigabytes: 2 ** 30,
};

/**
 * How many bytes a unit stands for: `byte * 2^20` as in the standard, or `MegaBytes`. Refuses what is
 * none with 400.
 */
export function bytesOfUnit(unit: string): number {
  const named = namedUnits[unit.trim().toLowerCase()];
  if (named !== undefined) return named;
  const [base = '', ...factors] = unit.split('*').map((part) => part.trim());
  if (base !== 'byte') throw notOvf(`the unit "${unit}" does not count bytes`);
  return factors.reduce((product, factor) => {
    const [, number, power = '1'] = /^(\d{1,6})(?:\^(\d{1,2}))?$/.exec(factor) ?? [];
    if (number === undefined) throw notOvf(`the unit "${unit}" is not known`);
    return product * Number(number) ** Number(power);
  }, 1);
}
