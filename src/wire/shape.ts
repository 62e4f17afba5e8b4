/** Shapes of objects and actions in bodies: members in output order. */
import { linkedTypes } from '../model/derive/linked.ts';
import { listEnumValues } from '../model/enum-values.ts';
import {
  getPluralTag,
  getTag,
  getType,
  isIdentified,
  listAttributes,
  listLinkNames,
  type ParsedKind,
  parseKind,
} from '../model/index.ts';
import type { Kind, ScalarKind } from '../model/notation/attributes.ts';
import { actionParameters, type Parameter } from '../model/notation/parameters.ts';

/** Value without members. */
export interface ScalarContent {
  readonly form: 'scalar';
  readonly kind: ScalarKind | 'enum';
  /** Values of an enum, and its name in faults. */
  readonly values?: ReadonlySet<string>;
  readonly display?: string;
}

export interface ObjectContent {
  readonly form: 'object';
  /** Evaluated on first use, because types contain each other. */
  readonly shape: () => Shape;
}

export interface ListContent {
  readonly form: 'list';
  /** Element of an item in XML, and name of the array in the JSON wrapper. */
  readonly item: string;
  /** Whether an element with the name of the member encloses the items. Links have none. */
  readonly wrapped: boolean;
  readonly of: ScalarContent | ObjectContent;
}

export interface Member {
  readonly name: string;
  /** Element in XML, and key in JSON. */
  readonly wire: string;
  /** Written as an attribute in XML: `id`, `href` and the `rel` of links. */
  readonly attribute: boolean;
  readonly content: ScalarContent | ObjectContent | ListContent;
}

export interface Shape {
  /** Name of the type in messages: `Vm`. */
  readonly display: string;
  /** Members in output order, attributes first. */
  readonly members: readonly Member[];
  /** Members in the order of JSON, if it differs. */
  readonly jsonMembers?: readonly Member[];
  /** Finds a member by name or key, if this is faster than a scan of all members. */
  readonly memberFor?: (key: string) => Member | undefined;
  /** Valid `rel` values of links of this type. */
  readonly links?: () => ReadonlySet<string>;
}

const string: ScalarContent = { form: 'scalar', kind: 'string' };

/** A link has only two attributes (specification 2.3). */
const linkShape: Shape = {
  display: 'Link',
  members: ['href', 'rel'].map((name) => ({ name, wire: name, attribute: true, content: string })),
};

export const linkMember: Member = {
  name: 'link',
  wire: 'link',
  attribute: false,
  content: {
    form: 'list',
    item: 'link',
    wrapped: false,
    of: { form: 'object', shape: () => linkShape },
  },
};

const actionsShape: Shape = { display: 'Actions', members: [linkMember] };

export const actionsMember: Member = {
  name: 'actions',
  wire: 'actions',
  attribute: false,
  content: { form: 'object', shape: () => actionsShape },
};

/** Types with an id that the model does not declare as identified, because links refer to them. */
const linkedTo: ReadonlySet<string> = new Set(linkedTypes);

/** Whether objects of a type have the members `id` and `href` in documents. */
export function hasIdentity(type: string): boolean {
  return isIdentified(type) || linkedTo.has(type);
}

const shapes = new Map<string, Shape>();

/** Shape of a type of the model. Throws for an unknown type, which is a programming error. */
export function getShape(type: string): Shape {
  let shape = shapes.get(type);
  if (!shape) {
    shape = new TypeShape(type);
    shapes.set(type, shape);
  }
  return shape;
}

/** Creates members on first use: types have many, and a command reads few. */
class TypeShape implements Shape {
  readonly display: string;
  readonly links = () => listLinkNames(this.#type);
  readonly #type: string;
  readonly #general: readonly Member[];
  #members: readonly Member[] | undefined;
  #jsonMembers: readonly Member[] | undefined;

  constructor(type: string) {
    this.display = displayName(type);
    this.#type = type;
    this.#general = generalMembers(type);
  }

  get members(): readonly Member[] {
    this.#members ??= listMembers(this.#type);
    return this.#members;
  }

  get jsonMembers(): readonly Member[] {
    this.#jsonMembers ??= jsonOrder(this.members, (name) => isOwn(this.#type, name));
    return this.#jsonMembers;
  }

  memberFor(key: string): Member | undefined {
    const isNamed = ({ name, wire }: Member) => name === key || wire === key;
    // A key without an entry can be the second name of a member.
    return this.#general.find(isNamed) ?? ownMember(this.#type, key) ?? this.members.find(isNamed);
  }
}

/** Members of every object with an id, independent of its type. */
const identityMembers: readonly Member[] = [
  identity('href'),
  identity('id'),
  actionsMember,
  member('creation_status', 'enum creation_status'),
  linkMember,
];

const firstNames = ['name', 'description', 'comment'];

function generalMembers(type: string): readonly Member[] {
  if (hasIdentity(type)) return identityMembers;
  // The entry point is not an identified type, but consists of links.
  return type === 'api' ? [actionsMember, linkMember] : [];
}

function ownMember(type: string, name: string): Member | undefined {
  const attributes = listAttributes(type);
  return Object.hasOwn(attributes, name)
    ? member(name, attributes[name]?.kind ?? 'string')
    : undefined;
}

/**
 * Members in output order: identity first, then for each level of inheritance the members of the
 * base, then of the type. Each level is in alphabetical order with references and links last. Some
 * clients take the first `name` or `status`, so members of the type must not precede its identity.
 */
function listMembers(type: string): Member[] {
  const attributes = listAttributes(type);
  const general = generalMembers(type);
  const own = new Map(
    Object.entries(attributes).map(([name, { kind }]) => [name, member(name, kind)]),
  );
  const first = isIdentified(type) ? firstNames.flatMap((name) => own.get(name) ?? []) : [];
  const done = new Set(first);
  const levels = listLevels(type).flatMap((names) => {
    const members = names
      .flatMap((name) => own.get(name) ?? [])
      .filter((one) => !one.attribute && !done.has(one));
    for (const one of members) done.add(one);
    const isLink = ({ name }: Member) =>
      linkForms.has(parseKind(attributes[name]?.kind ?? 'string').form);
    return [members.filter((one) => !isLink(one)), members.filter(isLink)].flatMap((part) =>
      part.sort((a, b) => (a.wire < b.wire ? -1 : 1)),
    );
  });
  const identified = hasIdentity(type);
  return [
    ...[...(identified ? general : own.values())].filter((one) => one.attribute),
    ...general.filter((one) => one === actionsMember),
    ...first,
    ...general.filter((one) => !one.attribute && one !== actionsMember),
    ...levels,
  ];
}

/** Members of every identified object. */
const inherited: ReadonlySet<string> = new Set([
  'actions',
  'name',
  'description',
  'comment',
  'creation_status',
  'link',
  'href',
  'id',
]);

/** Whether a type declares a member itself. */
function isOwn(type: string, name: string): boolean {
  if (hasIdentity(type) && inherited.has(name)) return false;
  return Object.hasOwn(getType(type).attributes, name);
}

/**
 * Engines write JSON members in the order of their serializer: own members of the type first, then
 * inherited ones. Inherited members with an explicit name come last: links, identity, and names of
 * several words.
 */
function jsonOrder(members: readonly Member[], isOwn: (name: string) => boolean): Member[] {
  const inIdentity = (...names: string[]) =>
    names.flatMap((name) => members.filter((one) => one.name === name && !isOwn(name)));
  const last = inIdentity('link', 'href', 'id');
  const rest = members.filter((one) => !isOwn(one.name) && !last.includes(one));
  const isExplicit = ({ wire }: Member) => wire.includes('_');
  return [
    ...members.filter(({ name }) => isOwn(name)),
    ...rest.filter((one) => !isExplicit(one)),
    ...last,
    ...rest.filter(isExplicit),
  ];
}

const linkForms: ReadonlySet<string> = new Set(['ref', 'links']);

/** Names of the attributes of a type, by the level of inheritance that declares them, base first. */
function listLevels(type: string): string[][] {
  const { base, attributes } = getType(type);
  return [...(base ? listLevels(base) : []), Object.keys(attributes)];
}

/** `id` or `href`: opaque text, an attribute in XML. */
export function identity(name: 'id' | 'href'): Member {
  return { name, wire: name, attribute: true, content: string };
}

/** Creates the member for an attribute or parameter of the model. */
export function member(name: string, kind: Kind): Member {
  const parsed = parseKind(kind);
  const single = getContent(parsed);
  const wire = wireName(name, parsed);
  if (!parsed.list) {
    return { name, wire, attribute: name === 'id' && single.form === 'scalar', content: single };
  }
  const item = single.form === 'scalar' ? singular(name) : getTag(getItemType(name, parsed));
  return {
    name,
    wire,
    attribute: false,
    content: { form: 'list', item, wrapped: true, of: single },
  };
}

/** The content of an attribute, or of one item of its list. */
export function singleContent(kind: Kind): ScalarContent | ObjectContent {
  return getContent(parseKind(kind));
}

function getContent({ form, of }: ParsedKind): ScalarContent | ObjectContent {
  switch (form) {
    case 'scalar':
      return { form: 'scalar', kind: of };
    case 'enum':
      return {
        form: 'scalar',
        kind: 'enum',
        values: new Set(listEnumValues(of)),
        display: displayName(of),
      };
    default:
      return { form: 'object', shape: () => getShape(of) };
  }
}

/** `vm_status` in messages and faults: `VmStatus`. */
export function displayName(name: string): string {
  return name.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Element of one value in a list of plain values: the singular of the member. The rule covers all
 * lists of the model; a test checks the results.
 */
export function singular(member: string): string {
  if (member.endsWith('ies')) return `${member.slice(0, -3)}y`;
  return member.replace(/s$/, '');
}

/**
 * Type that names the items of a list. NUMA nodes of VMs and hosts are different types, but both
 * lists use the name of the host's type.
 */
function getItemType(member: string, { of }: ParsedKind): string {
  return member === 'numa_nodes' ? 'numa_node' : of;
}

/** Name of a member in bodies. Only lists of NUMA nodes are named after their type. */
export function wireName(member: string, kind: ParsedKind): string {
  return member === 'numa_nodes' && kind.form === 'links'
    ? getPluralTag(getItemType(member, kind))
    : member;
}

const gracePeriodShape: Shape = { display: 'GracePeriod', members: [member('expiry', 'int')] };

/** Common members of the requests and responses of actions. */
const always: readonly Member[] = [
  identity('href'),
  identity('id'),
  member('name', 'string'),
  member('description', 'string'),
  member('comment', 'string'),
  member('async', 'bool'),
  member('correlation_id', 'string'),
  member('reason', 'string'),
  member('status', 'enum creation_status'),
  member('fault', 'struct fault'),
  member('job', 'ref job'),
  {
    name: 'grace_period',
    wire: 'grace_period',
    attribute: false,
    content: { form: 'object', shape: () => gracePeriodShape },
  },
  linkMember,
];

const alwaysNames: ReadonlySet<string> = new Set(always.map(({ name }) => name));

let everyParameter: Shape | undefined;

const shapesByNames = new Map<string, Shape>();

/**
 * Shape of an action with the given parameters, by default all. Throws for an unknown parameter,
 * which is a programming error.
 */
export function actionShape(names?: readonly string[]): Shape {
  if (names === undefined) {
    everyParameter ??= makeShape(Object.keys(actionParameters));
    return everyParameter;
  }
  const key = names.join(' ');
  let shape = shapesByNames.get(key);
  if (!shape) {
    shape = makeShape(names);
    shapesByNames.set(key, shape);
  }
  return shape;
}

function makeShape(names: readonly string[]): Shape {
  const parameters = names.filter((name) => !alwaysNames.has(name)).map(parameter);
  const general = always.filter(({ name }) => inherited.has(name));
  const own = [...always, ...parameters].filter((one) => !general.includes(one));
  const members = [...general, ...own.sort((a, b) => (a.wire < b.wire ? -1 : 1))];
  const ownNames = new Set(own.map(({ name }) => name));
  return {
    display: 'Action',
    members,
    jsonMembers: jsonOrder(members, (name) => ownNames.has(name)),
  };
}

const parametersByName: Readonly<Record<string, Parameter>> = actionParameters;

function parameter(name: string): Member {
  const declared = Object.hasOwn(actionParameters, name) ? parametersByName[name] : undefined;
  if (!declared) throw new Error(`The model has no action parameter ${name}.`);
  return member(name, declared.kind);
}
