// Comparison of two records of the same step. Reports every difference, without a judgement.
import { parseBody } from './tree.mjs';

/**
 * Members that depend on the computer or the time, not on the interface: compared by presence and
 * type.
 */
const MOVING = [
  /^api\.(time|product_info\.(version\..*|instance_id)|summary\..*|engine_backup\..*)$/,
  /^(event|step|job)@?(id|href)$/,
  /^event\.(index|id)$/,
  /^statistic\.values?\.value\.(datum|detail)$/,
  /(^|\.)creation_time$/,
  /(^|\.)(available|used|committed|actual_size|total_size|transferred)$/,
  /^host\.(memory|max_scheduling_memory|version\..*|libvirt_version\..*|hardware_information\..*|os\..*|cpu\.(name|speed|topology\..*|type)|certificate\..*|ssh\.(fingerprint|public_key)|iscsi\.initiator|kdump_status|se_linux\.mode|type|device_passthrough\..*|summary\..*|numa_supported|auto_numa_status|protocol)$/,
  /^host_nic\.(speed|mac\.address|ip\..*|ipv6\..*|statistics.*)$/,
  /^(image_transfer)\.(proxy_url|transfer_url|transferred)$/,
  /^ticket\.value$/,
  /\.ticket\.value$/,
  /^host_numa_node\./,
  /^host_device\./,
  /^(host_)?cpu_unit\./,
  /\.exp$/,
  /^(vm\.display|graphics_console)\.(port|secure_port|tls_port|address)$/,
  /^nic\.mac\.address$/,
  /ip_address_assignment\.ip\./,
  /^(action\.)?(remote_viewer_connection_file|proxy_ticket\.value|screenshot)$/,
  /^snapshot\.initialization\.configuration\.data$/,
  /^(vm|template)\.initialization\.configuration\.data$/,
  /^link_layer_discovery_protocol_element\./,
  /^icon\.data$/,
];
const isMoving = (path) => MOVING.some((rule) => rule.test(path));
const FORMATS = [
  ['boolean', /^(true|false)$/],
  ['integer', /^-?\d+$/],
  ['decimal', /^-?\d+\.\d+$/],
  ['time', /^\{time.*\}$/],
  ['uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i],
  ['mac', /^\{mac\}$/],
  ['MAC', /^\{MAC\}$/],
  ['path', /^\//],
  ['empty', /^$/],
];
const detectFormat = (text) => FORMATS.find(([, rule]) => rule.test(text))?.[0] ?? 'text';
const isEpoch = (text) => /^1[4-9]\d{11}$|^2[01]\d{11}$/.test(text);

/** Headers with comparable values; of the others only the presence is compared. */
const HEADER_VALUES = new Set([
  'content-type',
  'location',
  'www-authenticate',
  'link',
  'allow',
  'content-encoding',
  'content-disposition',
  'set-cookie',
  'cache-control',
  'vary',
  'access-control-allow-origin',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'retry-after',
]);

const listName = (node) =>
  node.children
    .filter((child) => !['link', 'actions', 'size', 'active', 'total'].includes(child.name))
    .map((child) => child.name);
const isListMember = (parent, name) => {
  const names = listName(parent);
  return (
    names.length > 0 &&
    names.every((word) => word === name) &&
    (parent.name === null ||
      parent.name.endsWith('s') ||
      parent.name.endsWith('data') ||
      parent.name === 'errata')
  );
};

export class Differ {
  constructor(identities) {
    this.identities = identities;
    /**
     * Last segment of a collection path to the tag of its members, learned from XML, for the names
     * of JSON roots.
     */
    this.tags = new Map();
    /** Members of lists with indistinguishable twins; their ids are not compared. */
    this.ambiguous = new WeakSet();
    this.anyId = false;
  }

  learn(root) {
    const visit = (node) => {
      const segment = node.attributes.href?.match(/\/([a-z]+)\/[^/]+$/)?.[1];
      if (segment && node.children.length && !this.tags.has(segment))
        this.tags.set(segment, node.name);
      node.children.forEach(visit);
    };
    visit(root);
  }

  nameRoot(root, record) {
    if (root.name !== null) return;
    const names = root.children.map((child) => child.name);
    const segment = root.attributes.href?.match(/\/([a-z]+)\/[^/]+$/)?.[1];
    if (names.includes('reason') && names.includes('detail') && !names.includes('status'))
      root.name = 'fault';
    else if (names.includes('product_info')) root.name = 'api';
    else if (segment) root.name = this.tags.get(segment) ?? segment;
    else if (
      names.length &&
      names.every((word) => word === names[0]) &&
      (root.children[0].array || root.children[0].type === 'emptyarray')
    )
      root.name = `${names[0]}s`;
    else if (names.length === 0) root.name = '(empty object)';
    else if (record.path.startsWith('/sso') || record.path.startsWith('/services'))
      root.name = '(sign-in answer)';
    else root.name = record.method === 'POST' || record.method === 'DELETE' ? 'action' : '(object)';
  }

  /** Differences of one step: [{kind, path, left, right, nodes?: [left, right]}]. */
  compare(left, right) {
    const found = [];
    const add = (kind, path, a, b, more = {}) =>
      found.push({ kind, path, left: a, right: b, ...more });
    if (left.skipped || right.skipped) {
      if (Boolean(left.skipped) !== Boolean(right.skipped) && !left.optional && !right.optional)
        add(
          'skipped',
          '',
          left.skipped ? `skipped (${left.skipped})` : `answered ${left.status}`,
          right.skipped ? `skipped (${right.skipped})` : `answered ${right.status}`,
        );
      return found;
    }
    if (left.error || right.error) {
      if (left.error !== right.error)
        add('answer', '', left.error ?? left.status, right.error ?? right.status);
      return found;
    }
    // Too long to be recorded, or a failure of the recorded engine, which is not imitated.
    if (left.tooLong || left.status === 500) return found;
    const bodies = { left: this.body(left), right: this.body(right) };
    if (left.status !== right.status) {
      add('status', '', left.status, right.status, {
        faults: [this.fault('left', bodies.left), this.fault('right', bodies.right)],
      });
      return found;
    }
    if (left.reached !== right.reached) add('wait', '', `${left.reached}`, `${right.reached}`);
    if (left.reason !== right.reason)
      add('reason-phrase', `${left.status}`, left.reason, right.reason);
    if (left.signedInAgain !== right.signedInAgain)
      add(
        'answer',
        '',
        `${left.signedInAgain ? 'the token had become invalid' : 'the token was valid'}`,
        `${right.signedInAgain ? 'the token had become invalid' : 'the token was valid'}`,
      );
    const [a, b] = [bodies.left, bodies.right];
    this.headers(left, right, add, a.kind === b.kind);
    if (a.kind !== b.kind || Boolean(a.problem) !== Boolean(b.problem))
      add('body-kind', `${left.status}`, a.problem ?? a.kind, b.problem ?? b.kind);
    else if (a.root && b.root) this.root(a.root, b.root, left, right, add);
    else if (a.kind === 'html' || a.kind === 'text') {
      if (a.kind === 'html') return found;
      const texts = [left.body, right.body].map((text) => text.replace(/\s+/g, ' ').trim());
      if (this.identities.compare(...texts) !== 'same' && !left.volatile)
        add(
          'text',
          a.kind,
          this.identities.shown('left', texts[0]).slice(0, 500),
          this.identities.shown('right', texts[1]).slice(0, 500),
        );
    }
    return found;
  }

  body(record) {
    return record.parsed ?? parseBody(record.body, record.headers?.['content-type']);
  }

  /** Reason and detail of a fault near the root, as shown. */
  fault(side, { kind, root }) {
    if (!root) return kind === 'empty' ? '(empty body)' : `(${kind} body)`;
    const node = root.child('fault') ?? root;
    const [reason, detail] = [node.at('reason'), node.at('detail')];
    if (reason === undefined && detail === undefined) return '(no fault)';
    return this.identities.shown(side, `${reason ?? ''}: ${detail ?? ''}`);
  }

  headers(left, right, add, sameKind) {
    for (const name of new Set([...Object.keys(left.headers), ...Object.keys(right.headers)])) {
      const [a, b] = [left.headers[name], right.headers[name]];
      if (name === 'content-type' && !sameKind) continue; // Covered by the kind of the body.
      if (a === undefined || b === undefined) {
        add(
          name === 'content-type' ? 'content-type' : 'header',
          name,
          a === undefined ? '(absent)' : 'present',
          b === undefined ? '(absent)' : 'present',
          { values: [a, b] },
        );
      } else if (name === 'correlation-id') {
        const sent = left.requestHeaders?.['correlation-id'];
        const kinds = [a, b].map((value) => (/^[0-9a-f-]{36}$/i.test(value) ? 'generated' : value));
        if (kinds[0] !== kinds[1]) add('header', name, kinds[0], kinds[1], { note: sent });
      } else if (HEADER_VALUES.has(name)) {
        const texts = [a, b].map((value) => [value].flat().join(' | '));
        if (name === 'allow')
          texts.forEach((text, at) => {
            texts[at] = text.split(/,\s*/).sort().join(', ');
          });
        if (this.identities.compare(...texts) === 'text')
          add(
            name === 'content-type' ? 'content-type' : 'header',
            name,
            this.identities.shown('left', texts[0]).slice(0, 400),
            this.identities.shown('right', texts[1]).slice(0, 400),
          );
      }
    }
  }

  root(a, b, left, right, add) {
    this.nameRoot(a, left);
    this.nameRoot(b, right);
    if (a.name !== b.name && ![a.name, b.name].includes('(empty object)')) {
      add('root', '', a.name, b.name, { nodes: [a, b] });
      return;
    }
    if (a.name === '(empty object)') a.name = b.name;
    this.volatile = left.volatile;
    this.nodes(a, b, a.name, add);
  }

  nodes(a, b, path, add) {
    if (a.type !== b.type) add('type', path, a.type, b.type, { nodes: [a, b] });
    else if (a.array !== b.array)
      add('type', path, a.array ? 'array' : 'single value', b.array ? 'array' : 'single value', {
        nodes: [a, b],
      });
    for (const key of new Set([...Object.keys(a.attributes), ...Object.keys(b.attributes)]))
      this.attribute(key, a, b, `${path}@${key}`, add);
    if (a.isLeaf && b.isLeaf) this.leaf(a, b, path, add);
    this.children(a, b, path, add);
  }

  attribute(key, a, b, path, add) {
    const [x, y] = [a.attributes[key], b.attributes[key]];
    if (x === undefined || y === undefined) {
      add(
        x === undefined ? 'extra' : 'missing',
        path,
        x === undefined ? '(absent)' : this.identities.shown('left', x),
        y === undefined ? '(absent)' : this.identities.shown('right', y),
        { nodes: [a, b] },
      );
      return;
    }
    const [s, t] = [a.attributeTypes[key] ?? 'string', b.attributeTypes[key] ?? 'string'];
    if (s !== t) add('type', path, s, t, { nodes: [a, b] });
    if (key === 'rel' || this.volatile || isMoving(path)) return;
    const answer = this.identities.compare(x, y, this.anyId);
    if (answer === 'same') return;
    const kind = answer === 'text' ? 'value' : answer;
    add(
      kind,
      path,
      answer === 'constant' ? x : this.identities.shown('left', x),
      answer === 'constant' ? y : this.identities.shown('right', y),
      { nodes: [a, b] },
    );
  }

  leaf(a, b, path, add) {
    if (a.text === b.text) return;
    // A sentence of the product that was removed: any text matches.
    if (a.text === '(text)' && b.text !== '') return;
    const isFault = /(^|\.)fault\.(reason|detail)$/.exec(path);
    const [x, y] = [this.identities.scrub('left', a.text), this.identities.scrub('right', b.text)];
    if (isFault) {
      if (this.identities.compare(a.text, b.text) !== 'same')
        add(
          `fault-${isFault[2]}`,
          path,
          this.identities.shown('left', a.text),
          this.identities.shown('right', b.text),
          { nodes: [a, b] },
        );
      return;
    }
    if (isEpoch(x) && isEpoch(y)) return;
    const [f, g] = [detectFormat(x), detectFormat(y)];
    if (
      f !== g &&
      ![f, g].includes('text') &&
      !(this.volatile && [f, g].includes('empty')) &&
      new Set([f, g, 'integer', 'decimal']).size !== 2
    ) {
      add('format', path, `${f}: ${a.text.slice(0, 80)}`, `${g}: ${b.text.slice(0, 80)}`, {
        nodes: [a, b],
      });
      return;
    }
    if (f === 'time' && g === 'time') {
      if (x !== y) add('format', path, x, y, { nodes: [a, b] });
      return;
    }
    if (this.volatile || isMoving(path)) return;
    const answer = this.identities.compare(a.text, b.text, this.anyId);
    if (answer === 'same') return;
    if (isMoving(path)) return;
    const kind = answer === 'text' ? 'value' : answer;
    add(
      kind,
      path,
      this.identities.shown('left', a.text).slice(0, 200),
      this.identities.shown('right', b.text).slice(0, 200),
      { nodes: [a, b] },
    );
  }

  children(a, b, path, add) {
    const names = [...new Set([...a.children, ...b.children].map((child) => child.name))];
    const pairs = [];
    for (const name of names) {
      const [xs, ys] = [a.all(name), b.all(name)];
      const isList =
        xs.length > 1 || ys.length > 1 || isListMember(a.children.length ? a : b, name);
      if (name === 'link') this.links(xs, ys, path, a, b, add);
      else if (!isList && xs.length && ys.length) pairs.push([xs[0], ys[0]]);
      else if (!isList) {
        const node = xs[0] ?? ys[0];
        const shown = node.isLeaf
          ? this.identities
              .shown(xs.length ? 'left' : 'right', node.text || node.attributes.id || '(empty)')
              .slice(0, 120)
          : '(with members)';
        add(
          xs.length ? 'missing' : 'extra',
          this.below(path, node, a),
          xs.length ? shown : '(absent)',
          xs.length ? '(absent)' : shown,
          { nodes: [a, b] },
        );
      } else pairs.push(...this.align(xs, ys, path, name, a, b, add));
    }
    for (const [x, y] of pairs) {
      const before = this.anyId;
      this.anyId ||= this.ambiguous.has(x);
      this.nodes(x, y, this.below(path, x, a), add);
      this.anyId = before;
    }
    this.memberOrder(a, b, path, add);
  }

  /**
   * Path of a child: path of the parent and name. An object with an href and members starts a new
   * path.
   */
  below(path, node, parent) {
    if (node.name === 'link') return `${path}.link`;
    if (
      node.attributes.id !== undefined &&
      (node.attributes.href !== undefined || isListMember(parent, node.name)) &&
      !node.isLeaf
    )
      return node.name;
    if (
      parent.name !== null &&
      isListMember(parent, node.name) &&
      /^[a-z_]+s$/.test(path) &&
      !path.includes('.')
    )
      return node.name;
    return `${path}.${node.name}`;
  }

  links(xs, ys, path, a, b, add) {
    const rels = (nodes) => nodes.map((node) => node.attributes.rel ?? '(no rel)');
    const [left, right] = [rels(xs), rels(ys)];
    const place = `${path}.link`;
    for (const rel of new Set(left))
      if (!right.includes(rel)) add('missing-link', place, rel, '(absent)', { nodes: [a, b] });
    for (const rel of new Set(right))
      if (!left.includes(rel)) add('extra-link', place, '(absent)', rel, { nodes: [a, b] });
    for (const x of xs) {
      const y = ys.find((node) => node.attributes.rel === x.attributes.rel);
      if (y)
        for (const key of new Set([...Object.keys(x.attributes), ...Object.keys(y.attributes)]))
          this.attribute(key, x, y, `${place}@${key}`, add);
    }
    const common = left.filter((rel) => right.includes(rel));
    const others = right.filter((rel) => left.includes(rel));
    if (common.join() !== others.join())
      add('link-order', place, common.join(' ').slice(0, 300), others.join(' ').slice(0, 300));
  }

  /** Key that distinguishes members of a list without their ids. */
  key(side, node) {
    const text = (value) => (value === undefined ? undefined : this.identities.shown(side, value));
    if (node.name === 'event') return `${node.at('code')} ${text(node.at('description'))}`;
    if (node.name === 'permission')
      return [
        'role',
        'user',
        'group',
        'vm',
        'cluster',
        'data_center',
        'host',
        'template',
        'storage_domain',
        'disk',
        'vm_pool',
      ]
        .map((part) => {
          const id = node.child(part)?.id;
          return id === undefined
            ? ''
            : side === 'left'
              ? (this.identities.toRight.get(id) ?? id)
              : id;
        })
        .join(' ');
    if (node.name === 'version' || node.at('major') !== undefined)
      return `${node.at('major')}.${node.at('minor')}`;
    const named =
      node.at('name') ?? node.at('alias') ?? node.at('user_name') ?? node.at('description');
    if (named !== undefined)
      return `${text(named)}${node.at('level') ?? ''}${node.at('type') ?? ''}${node.at('version.version_number') ?? ''}`;
    if (node.isLeaf)
      return node.text !== ''
        ? text(node.text)
        : node.id && !/-/.test(node.id)
          ? node.id
          : undefined;
    if (node.id !== undefined && !/^[0-9a-f]{8}-/i.test(node.id)) return node.id;
    return undefined;
  }

  /** Text of a list member, line by line, with paired ids written equally on both sides. */
  print(side, node) {
    const id = (text) => (side === 'left' ? (this.identities.toRight.get(text) ?? text) : text);
    const lines = new Set();
    const write = (at, path) => {
      if (at.name === 'link' || at.name === 'actions') return;
      if (at.attributes.id) lines.add(`${path}#${id(at.attributes.id)}`);
      if (at.isLeaf && at.text !== '') lines.add(`${path}=${this.identities.scrub(side, at.text)}`);
      for (const child of at.children) write(child, `${path}.${child.name}`);
    };
    write(node, '');
    return lines;
  }

  /** Pairs nodes by similarity of content, the most similar first. */
  pairAlike(lefts, rights, take) {
    if (lefts.length === 1 && rights.length === 1) return take(lefts[0], rights[0]);
    const prints = new Map([
      ...lefts.map((node) => [node, this.print('left', node)]),
      ...rights.map((node) => [node, this.print('right', node)]),
    ]);
    const likeness = (x, y) =>
      [...prints.get(x)].filter((line) => prints.get(y).has(line)).length * 2 -
      prints.get(x).size -
      prints.get(y).size;
    const all = lefts
      .flatMap((x, i) =>
        rights.map((y, j) => ({ x, y, score: likeness(x, y), far: Math.abs(i - j) })),
      )
      .sort((a, b) => b.score - a.score || a.far - b.far);
    const done = new Set();
    for (const { x, y, score } of all) {
      if (done.has(x) || done.has(y)) continue;
      // Twins: another node is equally similar.
      if (
        all.some(
          (other) => other.x === x && other.y !== y && other.score === score && !done.has(other.y),
        )
      )
        this.ambiguous.add(x);
      done.add(x);
      done.add(y);
      take(x, y);
    }
  }

  /** Pairs the members of two lists by id, then by name, then by position. */
  align(xs, ys, path, name, a, b, add) {
    const pairs = [];
    const freeLeft = new Set(xs);
    const freeRight = new Set(ys);
    const take = (x, y) => {
      pairs.push([x, y]);
      freeLeft.delete(x);
      freeRight.delete(y);
    };
    for (const x of xs) {
      const y =
        x.id !== undefined
          ? [...freeRight].find(
              (node) => node.id !== undefined && this.identities.known(x.id, node.id),
            )
          : undefined;
      if (y && x.name !== 'event' && x.name !== 'statistic') take(x, y);
    }
    const groups = new Map();
    for (const [side, free] of [
      ['left', freeLeft],
      ['right', freeRight],
    ]) {
      for (const node of free) {
        const key = this.key(side, node);
        if (key === undefined) continue;
        if (!groups.has(key)) groups.set(key, { left: [], right: [] });
        groups.get(key)[side].push(node);
      }
    }
    for (const { left, right } of groups.values()) this.pairAlike(left, right, take);
    const nameless = (side, set) => [...set].filter((node) => this.key(side, node) === undefined);
    const [restLeft, restRight] = [nameless('left', freeLeft), nameless('right', freeRight)];
    if (restLeft.length <= 60 && restRight.length <= 60 && name !== 'link')
      this.pairAlike(restLeft, restRight, take);
    else
      for (const [at, x] of restLeft.slice(0, restRight.length).entries()) take(x, restRight[at]);
    if (!this.volatile) {
      const place = this.below(path, xs[0] ?? ys[0], a.children.length ? a : b);
      for (const x of freeLeft)
        add('missing-item', place, this.key('left', x) ?? '(nameless)', '(absent)', {
          nodes: [x, undefined],
        });
      for (const y of freeRight)
        add('extra-item', place, '(absent)', this.key('right', y) ?? '(nameless)', {
          nodes: [undefined, y],
        });
      const order = pairs
        .map(([x, y]) => [xs.indexOf(x), ys.indexOf(y)])
        .sort(([i], [j]) => i - j)
        .map(([, at]) => at);
      const turned = order.some((at, next) => next > 0 && at < order[next - 1]);
      if (turned && name !== 'event') {
        // Members with the same name may be in either order.
        const words = (side, nodes, free) =>
          nodes.filter((node) => !free.has(node)).map((node) => this.key(side, node) ?? '?');
        const [left, right] = [words('left', xs, freeLeft), words('right', ys, freeRight)];
        const at = left.findIndex((word, next) => word !== right[next]);
        if (at >= 0 || left[0] === '?')
          add(
            'item-order',
            place,
            left
              .slice(Math.max(0, at - 1), at + 6)
              .join(' | ')
              .slice(0, 300),
            right
              .slice(Math.max(0, at - 1), at + 6)
              .join(' | ')
              .slice(0, 300),
          );
      }
    }
    return pairs;
  }

  memberOrder(a, b, path, add) {
    const names = (node) => [...new Set(node.children.map((child) => child.name))];
    const [left, right] = [names(a), names(b)];
    const [common, others] = [
      left.filter((name) => right.includes(name)),
      right.filter((name) => left.includes(name)),
    ];
    if (common.join() !== others.join()) {
      const at = common.findIndex((name, place) => name !== others[place]);
      add(
        'member-order',
        path,
        common.slice(Math.max(0, at - 1), at + 4).join(' '),
        others.slice(Math.max(0, at - 1), at + 4).join(' '),
      );
    }
  }
}
