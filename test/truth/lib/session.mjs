// The language of the steps.  A subject file exports a function that receives a Session and adds steps to it.
// Nothing is sent here: a step is plain data, {name, method, path, headers, body, capture, until, ...}.
import { toXml } from './tree.mjs';

/** Capture helper: the id of the direct child of the root whose `member` (name unless told) has that text. */
export const named =
  (text, member = 'name') =>
  (root) =>
    root.children.find((node) => node.at(member) === text)?.id;

/**
 * Capture helper: the id of the child whose name comes first alphabetically among the names that only one child has,
 * so that it is the same object on any server; of the first child where none has a name of its own.
 */
export const first = (root) => {
  const nodes = root.children
    .filter((node) => node.id && node.name !== 'link' && node.name !== 'actions')
    .map((node) => ({ name: node.at('name') ?? '', id: node.id }));
  const own = nodes.filter(
    ({ name }) => name !== '' && nodes.filter((other) => other.name === name).length === 1,
  );
  return (own.length ? own.sort((a, b) => (a.name < b.name ? -1 : 1)) : nodes)[0]?.id;
};

/** Capture helper: the id of the child whose reference `member` has the captured id `variable`. */
export const referring = (member, variable) => (root, variables) =>
  root.children.find((node) => node.child(member)?.id === variables[variable])?.id;

const mediaTypes = { xml: 'application/xml', json: 'application/json' };

export class Session {
  constructor(options) {
    this.options = options;
    this.steps = [];
    this.subject = '';
    this.names = new Map();
  }

  /** Adds a step. Path is relative to the API root unless `absolute` ('app' or 'origin') says otherwise; {{x}} is a captured value. */
  step(name, method, path, given = {}) {
    const { body, as = 'xml', accept = as, headers = {}, type, requires, ...rest } = given;
    let content = body;
    let contentType = type;
    if (body !== undefined && typeof body === 'object') {
      const [root, value] = Object.entries(body)[0];
      content = as === 'json' ? JSON.stringify(value ?? {}) : toXml({ [root]: value });
      contentType = type === undefined ? mediaTypes[as] : type;
    } else if (body !== undefined && type === undefined) contentType = mediaTypes[as];
    const full = `${this.subject}/${name}`;
    const times = (this.names.get(full) ?? 0) + 1;
    this.names.set(full, times);
    this.steps.push({
      name: times === 1 ? full : `${full}#${times}`,
      method,
      path,
      headers: {
        ...(accept ? { accept: mediaTypes[accept] ?? accept } : {}),
        ...(contentType ? { 'content-type': contentType } : {}),
        ...headers,
      },
      body: content,
      ...(requires ? { requires: `${this.subject}/${requires}` } : {}),
      ...rest,
    });
  }

  get(name, path, given) {
    this.step(name, 'GET', path, given);
  }
  /** The same GET in both representations. */
  both(name, path, given = {}) {
    this.get(`${name}/xml`, path, given);
    this.get(`${name}/json`, path, { ...given, as: 'json', capture: undefined });
  }
  post(name, path, body, given = {}) {
    this.step(name, 'POST', path, { body, ...given });
  }
  put(name, path, body, given = {}) {
    this.step(name, 'PUT', path, { body, ...given });
  }
  del(name, path, given = {}) {
    this.step(name, 'DELETE', path, given);
  }
  /** POST of an action; `body` holds its parameters. */
  act(name, path, body = {}, given = {}) {
    this.step(name, 'POST', path, { body: { action: body }, ...given });
  }

  /** GET repeated until the member at `field` has one of the words of `is`, or one of `fail`, or the time is up. */
  wait(name, path, is, { field = 'status', fail = [], timeout = 90, ...given } = {}) {
    this.get(name, path, { until: { field, is: [is].flat(), fail, timeout }, ...given });
  }
  /** GET repeated until it answers 404. */
  waitGone(name, path, { timeout = 60, ...given } = {}) {
    this.get(name, path, { until: { gone: true, timeout }, ...given });
  }
  /** A POST that may create something which is to be removed at once, so that nothing is left for later steps. */
  postAndRemove(name, path, body, given = {}) {
    const variable = `scratch:${this.subject}/${name}`;
    this.post(name, path, body, {
      ...given,
      capture: { ...given.capture, [variable]: 'id' },
      scratch: true,
    });
    this.del(`${name}/removal`, `${path.split('?')[0]}/{{${variable}}}`, {
      scratch: true,
      optional: true,
    });
  }
}
