// Report of differences, grouped by cause.
import { pattern } from './identity.mjs';
import { excerpt } from './tree.mjs';

/** Weight of each kind of difference; also the order of the table in the report. */
export const WEIGHTS = {
  answer: 100,
  status: 100,
  'body-kind': 80,
  root: 70,
  'fault-detail': 60,
  'fault-reason': 60,
  'content-type': 55,
  type: 45,
  missing: 40,
  'missing-link': 36,
  'missing-item': 35,
  extra: 30,
  'extra-link': 26,
  'extra-item': 25,
  format: 30,
  text: 25,
  identity: 25,
  value: 20,
  'reason-phrase': 20,
  header: 15,
  wait: 15,
  constant: 10,
  'item-order': 8,
  'member-order': 5,
  'link-order': 2,
  skipped: 1,
};
const MEANING = {
  answer: 'one side did not answer',
  status: 'another status',
  'body-kind': 'another kind of body',
  root: 'another root element',
  'fault-detail': 'another wording of a fault',
  'fault-reason': 'another reason of a fault',
  'content-type': 'another content type',
  type: 'another JSON type',
  missing: 'member that only the left has',
  'missing-link': 'link or action that only the left has',
  'missing-item': 'object of a list that only the left has',
  extra: 'member that only the right has',
  'extra-link': 'link or action that only the right has',
  'extra-item': 'object of a list that only the right has',
  format: 'another form of a value',
  text: 'another text',
  identity: 'reference to another object',
  value: 'another value',
  'reason-phrase': 'another reason phrase',
  header: 'header',
  wait: 'a wait that ended otherwise',
  constant: 'an id that is the same everywhere',
  'item-order': 'order of a list',
  'member-order': 'order of members',
  'link-order': 'order of links',
  skipped: 'a consequence: something before was not made',
};

const template = (record) =>
  `${record.method} ${record.path.replace(/\?.*/, '').replace(/\{\{[^{}]*\}\}/g, '{}')}`;

/**
 * Whether the text of a leaf is a number, a boolean or other text, which determines its JSON type.
 */
const form = ({ nodes }) => {
  const text = nodes?.[0]?.isLeaf ? nodes[0].text : undefined;
  return text === undefined
    ? 'of a structure'
    : /^(true|false)$/.test(text)
      ? 'of a truth value'
      : /^1[4-9]\d{11}$|^\d{4}-\d\d-\d\dT/.test(text)
        ? 'of a date'
        : /^-?\d+$/.test(text)
          ? 'of an integer'
          : /^-?\d+\.\d+$/.test(text)
            ? 'of a decimal'
            : 'of a text';
};

/** Key of the cause of a difference. */
const signature = (difference, record) => {
  const { kind, path, left, right } = difference;
  if (kind === 'status') {
    if (record.topic) return `${left}→${right} ${record.topic}`;
    const [a, b] = difference.faults.map(pattern);
    return `${left}→${right} ${a.startsWith('(') && b.startsWith('(') ? template(record) : ''} ${a} | ${b}`;
  }
  if (kind.startsWith('fault')) return `${pattern(left)} | ${pattern(right)}`;
  if (kind === 'header')
    return `${path} ${['(absent)', 'present'].includes(left) ? `${left} ${right}` : ''}`;
  if (kind === 'content-type' || kind === 'body-kind' || kind === 'reason-phrase')
    return `${path} ${left} ${right}`;
  if (kind === 'skipped')
    return pattern(left.startsWith('skipped') ? `left ${left}` : `right ${right}`);
  if (kind === 'text') return `${pattern(left).slice(0, 80)} ${pattern(right).slice(0, 80)}`;
  if (kind === 'type') return `${left}→${right} ${form(difference)}`;
  if (kind === 'format')
    return `${left.replace(/:.*/, '').replace(/\d/g, '')} ${right.replace(/:.*/, '').replace(/\d/g, '')} ${/^\{time/.test(left) ? `${left} ${right}` : ''}`;
  if (kind === 'identity') return path.replace(/@(href|id)$/, '');
  if (kind === 'root' || kind === 'wait' || kind === 'answer')
    return `${left} ${right} ${record.topic ?? ''}`;
  return path.replace(/\s+/g, ' ');
};

export class Report {
  constructor() {
    this.groups = new Map();
    this.lines = [];
    this.steps = new Set();
  }

  add(difference, left, right) {
    const key = `${difference.kind} ${signature(difference, left)}`;
    let group = this.groups.get(key);
    if (!group) {
      group = {
        kind: difference.kind,
        path: difference.path,
        topic: left.topic,
        steps: new Set(),
        total: 0,
        pairs: new Map(),
        paths: new Map(),
        example: { difference, left, right },
        number: 0,
      };
      this.groups.set(key, group);
    }
    group.total += 1;
    group.steps.add(left.name);
    group.paths.set(difference.path, (group.paths.get(difference.path) ?? 0) + 1);
    const pair = `${difference.left}\u0000${difference.right}`;
    group.pairs.set(pair, (group.pairs.get(pair) ?? 0) + 1);
    this.steps.add(left.name);
    const { nodes, ...told } = difference;
    this.lines.push({ step: left.name, ...told, group });
  }

  /** Groups, the worst first. */
  ranked() {
    const score = (group) => (WEIGHTS[group.kind] ?? 10) * Math.log2(1 + group.steps.size);
    const ranked = [...this.groups.values()].sort(
      (a, b) => score(b) - score(a) || (a.path < b.path ? -1 : 1),
    );
    ranked.forEach((group, at) => {
      group.number = at + 1;
    });
    return ranked;
  }

  /** One line per cause, the worst first: kind, path, affected steps, and the first of them. */
  summary() {
    return this.ranked().map((group) => ({
      kind: group.kind,
      title: this.title(group),
      steps: group.steps.size,
      first: group.example.left.name,
    }));
  }

  jsonLines() {
    return this.lines.map(({ group, ...line }) => JSON.stringify({ ...line, cause: group.number }));
  }

  markdown({ left, right, compared, onlyLeft, onlyRight, ignored, limit }) {
    const ranked = this.ranked();
    const out = ['# Differences', ''];
    out.push(
      `Left: ${left}.  Right: ${right}.  \`left\` is taken as what should be; a cause is what one change would remove.`,
      '',
    );
    out.push(
      `${compared} steps compared, ${compared - this.steps.size} of them without a difference; ${this.lines.length} differences in ${this.steps.size} steps, ${ranked.length} causes.${ignored ? ` ${ignored} differences ignored by the list given.` : ''}${onlyLeft.length ? ` ${onlyLeft.length} steps only on the left.` : ''}${onlyRight.length ? ` ${onlyRight.length} steps only on the right.` : ''}`,
      '',
    );
    out.push('| kind | meaning | causes | differences | steps |', '|---|---|---|---|---|');
    for (const kind of Object.keys(WEIGHTS)) {
      const groups = ranked.filter((group) => group.kind === kind);
      if (groups.length)
        out.push(
          `| ${kind} | ${MEANING[kind]} | ${groups.length} | ${groups.reduce((sum, group) => sum + group.total, 0)} | ${new Set(groups.flatMap((group) => [...group.steps])).size} |`,
        );
    }
    out.push(
      '',
      `Ranked by weight of the kind times log2(1 + steps).${ranked.length > limit ? ` The first ${limit} causes follow in full, the others in a table at the end; \`differences.jsonl\` has every one.` : ''}`,
      '',
    );
    for (const group of ranked.slice(0, limit)) out.push(...this.cause(group), '');
    if (ranked.length > limit) {
      out.push(
        '## The other causes',
        '',
        '| cause | kind | where | steps | left | right | first step |',
        '|---|---|---|---|---|---|---|',
      );
      for (const group of ranked.slice(limit)) {
        const { difference } = group.example;
        const cell = (text) => String(text).replace(/\|/g, '\\|').replace(/\s+/g, ' ').slice(0, 90);
        out.push(
          `| ${group.number} | ${group.kind} | ${cell(group.path)} | ${group.steps.size} | ${cell(difference.left)} | ${cell(difference.right)} | ${group.example.left.name} |`,
        );
      }
    }
    return `${out.join('\n')}\n`;
  }

  title(group) {
    const { difference, left } = group.example;
    return group.kind === 'status'
      ? `${difference.left} on the left, ${difference.right} on the right: ${group.topic ?? template(left)}`
      : group.kind.startsWith('fault')
        ? String(difference.left).slice(0, 90)
        : group.kind === 'type'
          ? `${difference.left} on the left, ${difference.right} on the right, ${form(difference)}`
          : group.paths.size > 1
            ? `${group.paths.size} places`
            : group.path || MEANING[group.kind];
  }

  cause(group) {
    const { difference, left, right } = group.example;
    const isBody =
      ['status', 'body-kind', 'root', 'text', 'answer', 'content-type', 'reason-phrase'].includes(
        group.kind,
      ) || group.kind.startsWith('fault');
    const title = this.title(group);
    const out = [`## ${group.number}. ${group.kind}: ${title}`, ''];
    out.push(
      `${MEANING[group.kind]}; ${group.steps.size} step${group.steps.size === 1 ? '' : 's'}${group.total > group.steps.size ? `, ${group.total} times` : ''}. Steps: ${[
        ...group.steps,
      ]
        .slice(0, 6)
        .map((name) => `\`${name}\``)
        .join(', ')}${group.steps.size > 6 ? ', …' : ''}`,
      '',
    );
    if (group.paths.size > 1)
      out.push(
        `At ${[...group.paths]
          .sort(([, x], [, y]) => y - x)
          .slice(0, 20)
          .map(([path, count]) => `\`${path}\` (${count})`)
          .join(', ')}${group.paths.size > 20 ? ` and ${group.paths.size - 20} more` : ''}`,
        '',
      );
    if (!isBody || group.pairs.size > 1) {
      const pairs = [...group.pairs]
        .sort(([, a], [, b]) => b - a)
        .slice(0, 8)
        .map(([pair, count]) => [...pair.split('\u0000'), count]);
      const cell = (text) =>
        String(text).replace(/\|/g, '\\|').replace(/\s+/g, ' ').slice(0, 160) || '(empty)';
      out.push(
        '| left | right | times |',
        '|---|---|---|',
        ...pairs.map(([a, b, count]) => `| ${cell(a)} | ${cell(b)} | ${count} |`),
      );
      if (group.pairs.size > 8) out.push(`| … | ${group.pairs.size - 8} more | |`);
      out.push('');
    }
    out.push('```http', ...this.request(left), '```');
    const part = (record, node) =>
      node
        ? [excerpt(node, { depth: isBody ? 3 : 2, lines: 16, links: /link/.test(difference.path) })]
        : this.answer(record, isBody);
    const [a, b] = difference.nodes ?? [];
    const isWhole = !difference.nodes || isBody;
    out.push(
      'Left:',
      '```',
      ...(isWhole ? this.answer(left, true) : a ? part(left, a) : ['(nothing)']),
      '```',
      'Right:',
      '```',
      ...(isWhole ? this.answer(right, true) : b ? part(right, b) : ['(nothing)']),
      '```',
    );
    return out;
  }

  request(record) {
    const headers = Object.entries(record.requestHeaders ?? {})
      .filter(([name]) => !['authorization', 'accept'].includes(name) || record.topic === 'accept')
      .map(([name, value]) => `${name}: ${value}`);
    const accept = record.requestHeaders?.accept;
    return [
      `${record.method} ${record.url ?? record.path}`,
      ...(accept && !headers.some((line) => line.startsWith('accept:'))
        ? [`accept: ${accept}`]
        : []),
      ...headers,
      ...(record.requestBody ? ['', record.requestBody.slice(0, 700)] : []),
    ];
  }

  answer(record, withBody) {
    if (record.skipped) return [`(skipped: ${record.skipped})`];
    if (record.error) return [`(no answer: ${record.error})`];
    const headers = Object.entries(record.headers)
      .filter(([name]) =>
        [
          'content-type',
          'location',
          'www-authenticate',
          'allow',
          'set-cookie',
          'correlation-id',
        ].includes(name),
      )
      .map(([name, value]) => `${name}: ${[value].flat().join(' | ')}`);
    const body = record.body
      ? record.body
          .replace(/^<\?xml[^>]*>\s*/, '')
          .replace(/^ *<actions>[\s\S]*?<\/actions>\n/gm, '')
          .replace(/^ *<link .*\/>\n/gm, '')
          .replace(/"(actions|link)" ?:\s*(\{[^{}]*\[[^\]]*\]\s*\}|\[[^\]]*\]),?/g, '')
          .slice(0, 900)
      : '(no body)';
    return [
      `${record.status} ${record.reason}`,
      ...headers,
      ...(withBody ? ['', ...body.split('\n').slice(0, 24)] : []),
    ];
  }
}
