/**
 * What a client sends and does not see is refused as what is not there: neither an id nor a name
 * tells whether there is something else of that kind.
 */
import { attributesOf, type Operation, parseKind, referencedType } from '../../model/index.ts';
import type { Attribute } from '../../model/notation.ts';
import { actionParameters } from '../../model/parameters.ts';
import { entityNotFound } from '../fault.ts';
import type { RuleContext, Sight } from '../rules/context.ts';
import { badValueStatus } from '../rules/input.ts';
import { isStored, type Place, titleOf, topCollection } from '../rules/places.ts';
import { isRecord, type StoredObject } from '../store/document.ts';
import type { KindName } from '../store/kinds.ts';

/** What was sent, and what the caller was permitted to do something with. */
interface Sent {
  readonly operation: Operation;
  readonly body: StoredObject | StoredObject[];
  /** `KIND ID` */
  readonly asked: ReadonlySet<string>;
}

/** Refuses with 404, or 400, a body that names what the caller does not see. */
export function refuseHidden(
  ctx: RuleContext,
  sight: Sight,
  place: Place,
  { operation, body, asked }: Sent,
): void {
  const look = new Look(ctx, sight, asked);
  for (const sent of Array.isArray(body) ? body : [body]) {
    if (operation.isAction || operation.http === 'DELETE') {
      look.at('action', actionParameters, sent);
      continue;
    }
    if (operation.name === 'add') look.atMember(place, sent);
    look.at(operation.type, attributesOf(operation.type), sent);
  }
}

type Attributes = Readonly<Record<string, Pick<Attribute, 'kind'>>>;

class Look {
  readonly #ctx: RuleContext;
  readonly #sight: Sight;
  readonly #asked: ReadonlySet<string>;

  constructor(ctx: RuleContext, sight: Sight, asked: ReadonlySet<string>) {
    this.#ctx = ctx;
    this.#sight = sight;
    this.#asked = asked;
  }

  /** Looks at all that an object names. */
  at(type: string, attributes: Attributes, sent: StoredObject): void {
    for (const [name, value] of Object.entries(sent)) {
      const attribute = attributes[name];
      if (!attribute) continue;
      const { form, of } = parseKind(attribute.kind);
      if (form === 'scalar' || form === 'enum') continue;
      const target = referencedType(of);
      for (const one of Array.isArray(value) ? value : [value]) {
        if (!isRecord(one)) continue;
        if (form !== 'struct') this.#reference(`${type}.${name}`, target, one);
        this.at(target, attributesOf(target), one);
      }
    }
  }

  /** Looks at an object that exists by itself and is put into a collection. */
  atMember(place: Place, { id, name }: StoredObject): void {
    if (!place.owner || topCollection(place.type) === undefined) return;
    const joins = place.members !== undefined || place.kind !== place.type;
    if (id !== undefined) this.#reference(place.type, place.type, { id });
    else if (joins) this.#reference(place.type, place.type, { name });
  }

  /** Refuses a reference to an object that is there and not visible, in the words for what is not. */
  #reference(attribute: string, type: string, reference: StoredObject): void {
    if (!isStored(type)) return;
    const { tx } = this.#ctx;
    const { id, name } = reference;
    const status = badValueStatus(attribute);
    if (typeof id === 'string' && id !== '') {
      const hidden = tx.collectionOf(type, id) !== undefined && !this.#sees(type, id);
      if (hidden) throw entityNotFound(`${titleOf(type)}: id=${id}`, status);
      return;
    }
    // What has more than a name is a new object, or means one of several by what else it says.
    if (typeof name !== 'string' || Object.keys(reference).length > 1) return;
    const found = tx
      .list(type, { where: { name } })
      .filter((one) => (one as StoredObject)['name'] === name) as StoredObject[];
    if (found.length === 0) return;
    const seen = found.find((one) => this.#sees(type, String(one['id'])));
    if (!seen) throw entityNotFound(`${titleOf(type)}: name=${name}`, status);
    // Of several with that name the one that is visible is meant.
    reference['id'] = seen['id'];
  }

  #sees(type: KindName, id: string): boolean {
    return this.#asked.has(`${type} ${id}`) || this.#sight.sees(type, id);
  }
}
