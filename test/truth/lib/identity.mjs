// Mapping of ids between the left and the right server, and normalization of texts.

export const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const isUuid = (text) =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
/** Ids that are constant in every installation of the product. */
const isConstant = (id) =>
  /^0000000[0-9a-f]-|^eee00000-|^99999999-2222|-0000-0000-0000-000000000000$|^(aaaaaaaa|bbbbbbbb|cccccccc|11111111|44444444)-2222/i.test(
    id,
  );

export class Identities {
  constructor(left, right) {
    this.sides = { left, right };
    this.toRight = new Map();
    this.toLeft = new Map();
    this.names = { left: new Map(), right: new Map() };
    for (const side of ['left', 'right'])
      for (const [name, value] of this.captures(side))
        if (isUuid(value) && !this.names[side].has(value)) this.names[side].set(value, name);
    const rightValues = new Map(this.captures('right'));
    for (const [name, value] of this.captures('left')) {
      const other = rightValues.get(name);
      if (
        other !== undefined &&
        isUuid(value) &&
        isUuid(other) &&
        !isConstant(value) &&
        !isConstant(other)
      )
        this.pair(value, other);
    }
  }

  captures(side) {
    return this.sides[side].records.flatMap((record) =>
      Object.entries(record.captured ?? {}).filter(([name]) => !name.startsWith('at:')),
    );
  }

  pair(left, right) {
    if (this.toRight.has(left) || this.toLeft.has(right)) return;
    this.toRight.set(left, right);
    this.toLeft.set(right, left);
  }

  /**
   * Pairs objects with the same kind and name, if the name is unique on both sides. A name is more
   * reliable than the first common position of two ids. `documents` are {side, root} of all
   * responses.
   */
  pairByName(documents) {
    const ids = { left: new Map(), right: new Map() };
    const visit = (side, node) => {
      const name = node.at('name');
      if (name && node.name && node.id && isUuid(node.id)) {
        const key = `${node.name} ${name}`;
        if (!ids[side].has(key)) ids[side].set(key, new Set());
        ids[side].get(key).add(node.id);
      }
      for (const child of node.children) visit(side, child);
    };
    for (const { side, root } of documents) visit(side, root);
    for (const [key, [left, ...others]] of ids.left) {
      const [right, ...more] = ids.right.get(key) ?? [];
      if (
        right !== undefined &&
        others.length === 0 &&
        more.length === 0 &&
        !isConstant(left) &&
        !isConstant(right)
      )
        this.pair(left, right);
    }
  }

  /** Whether both ids are already paired. */
  known(left, right) {
    return this.toRight.has(left) || this.toLeft.has(right)
      ? this.toRight.get(left) === right
      : left === right;
  }

  /** 'same' (pairs two new ids), 'constant' or 'different'. */
  same(left, right) {
    if (this.known(left, right)) {
      if (left === right && isUuid(left)) this.pair(left, right);
      return 'same';
    }
    if (!isUuid(left) || !isUuid(right)) return 'different';
    if (isConstant(left) || isConstant(right)) return 'constant';
    if (this.toRight.has(left) || this.toLeft.has(right)) return 'different';
    this.pair(left, right);
    return 'same';
  }

  /** Label of an id: its capture name, otherwise the number of its pair. */
  label(side, id) {
    const name = this.names[side].get(id);
    if (name) return `{${name.replace(/^scratch:.*/, 'scratch')}}`;
    if (isConstant(id)) return id;
    return '{id}';
  }

  /**
   * Text without values that differ by nature: address, times, MAC addresses, event numbers; ids
   * remain.
   */
  scrub(side, text) {
    const { origin, given = {} } = this.sides[side].head;
    let out = String(text)
      .replaceAll(origin, '{origin}')
      .replaceAll(encodeURIComponent(origin), '{origin}')
      .replace(/https?:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?/g, '{address}');
    for (const name of ['hostAddress', 'hostAddress2', 'storageAddress', 'storagePath', 'user'])
      if (given[name]?.length > 3) out = out.replaceAll(given[name], `{${name}}`);
    return out
      .replace(
        /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?/g,
        (_, fraction, zone) =>
          `{time${fraction ? `.${'0'.repeat(fraction.length - 1)}` : ''}${zone === 'Z' ? 'Z' : zone ? '+00:00' : ''}}`,
      )
      .replace(/\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b/gi, (mac) =>
        /^00:1a:4a:99|^(02|00):1a:4a:1/i.test(mac) ? mac : /[A-F]/.test(mac) ? '{MAC}' : '{mac}',
      )
      .replace(/(\/events\/|from=)\d+/g, '$1{event}')
      .replace(/\bon[0-9a-f]{13}\b/g, '{vdsm_name}')
      .replace(/\bdisk-[0-9a-f]{8}\b/g, '{disk_name}');
  }

  /** The text with ids replaced by their labels as well. */
  shown(side, text) {
    return this.scrub(side, text).replace(UUID, (id) => this.label(side, id));
  }

  /**
   * Compares two texts; ids in the same positions are paired, or equal with `anyId`. Returns
   * 'same', 'constant', 'identity' or 'text'.
   */
  compare(left, right, anyId = false) {
    const a = left === right ? left : this.scrub('left', left);
    const b = left === right ? right : this.scrub('right', right);
    if (a === b && !/[0-9a-f]{8}-/i.test(a)) return 'same';
    const idsA = a.match(UUID) ?? [];
    const idsB = b.match(UUID) ?? [];
    if (idsA.length !== idsB.length || a.replace(UUID, '{}') !== b.replace(UUID, '{}'))
      return 'text';
    if (anyId) return 'same';
    let worst = 'same';
    idsA.forEach((id, at) => {
      const answer = this.same(id, idsB[at]);
      if (answer !== 'same' && worst !== 'identity')
        worst = answer === 'constant' ? 'constant' : 'identity';
    });
    return worst;
  }
}

/** Pattern for grouping: equal for texts that differ only in names, ids and numbers. */
export const pattern = (text) =>
  String(text ?? '')
    .replace(UUID, '{}')
    .replace(/\{[^{}]*\}/g, '{}')
    .replace(/\bdx[\w.+-]*/gi, '{}')
    .replace(/"[^"]*"|'[^']*'/g, '{}')
    .replace(/\d+/g, 'N')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 400);
