// Vocabulary of the steps. A subject file exports a function that receives a Session and adds
// steps. This file sends no request: a step is plain data, {name, method, path, headers, body,
// capture, until, ...}.
import { toXml } from './tree.mjs';

/**
 * Capture helper: the id of the direct child of the root whose `member` (default: name) has that
 * text.
 */
export const named =
  (text, member = 'name') =>
  (root) =>
    root.children.find((node) => node.at(member) === text)?.id;

/**
 * Capture helper: the id of the child with the alphabetically first unique name, which is the same
 * object on any server; the id of the first child if no name is unique.
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

  /**
   * Adds a step. The path is relative to the API root unless `absolute` is 'app' or 'origin'; {{x}}
   * is a captured value.
   */
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

  /**
   * GET repeated until the member at `field` has one of the values `is` or `fail`, or the time is
   * up.
   */
  wait(name, path, is, { field = 'status', fail = [], timeout = 90, ...given } = {}) {
    this.get(name, path, { until: { field, is: [is].flat(), fail, timeout }, ...given });
  }
  /** GET repeated until it returns 404. */
  waitGone(name, path, { timeout = 60, ...given } = {}) {
    this.get(name, path, { until: { gone: true, timeout }, ...given });
  }
  /**
   * A POST that may create an object, which is removed immediately so that later steps are not
   * affected.
   */
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
