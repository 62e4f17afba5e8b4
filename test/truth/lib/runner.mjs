// Executes steps in order and produces one transcript record for each.
import { parseBody } from './tree.mjs';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const reference = /\{\{([^{}]+)\}\}/g;

/** Names of the captured values that a step needs. */
const needed = (step) => {
  const names = new Set(step.needs ?? []);
  for (const text of [step.path, step.body, ...Object.values(step.headers)]) {
    if (typeof text === 'string') for (const found of text.matchAll(reference)) names.add(found[1]);
  }
  return [...names];
};

export class Runner {
  /**
   * `target`: {connection, app, base, token, user, password, scope, further passwords in
   * variables}; `variables` are the initial ones.
   */
  constructor(target, variables, { waitScale = 1 } = {}) {
    this.target = target;
    this.variables = variables;
    this.waitScale = waitScale;
    /** Capture position of a variable, or the reason why it is missing. */
    this.missing = new Map();
    /** Refused steps with their status; dependent steps are skipped. */
    this.failed = new Map();
    /** Successful steps, for steps that require one. */
    this.well = new Set();
    this.secrets = [target.password, target.token].filter(Boolean);
  }

  fill(text) {
    return text.replace(reference, (_, name) => this.variables[name]);
  }

  mask(text) {
    if (typeof text !== 'string') return text;
    let masked = text;
    for (const secret of this.secrets)
      masked = masked.replaceAll(secret, '***').replaceAll(encodeURIComponent(secret), '***');
    return masked.replace(/("access_token"\s*:\s*")[^"]{12,}"/g, '$1***"');
  }

  url(step) {
    const path = this.fill(step.path);
    if (step.absolute === 'origin') return path;
    return (step.absolute === 'app' ? this.target.app : this.target.base) + path;
  }

  headers(step) {
    const headers = Object.fromEntries(
      Object.entries(step.headers).map(([name, value]) => [name, this.fill(value)]),
    );
    const auth = step.auth ?? 'bearer';
    if (auth === 'bearer') headers.authorization = `Bearer ${this.target.token}`;
    else if (auth === 'basic')
      headers.authorization = `Basic ${Buffer.from(`${this.target.user}:${this.target.password}`).toString('base64')}`;
    else if (auth !== 'none') headers.authorization = this.fill(auth);
    return headers;
  }

  async run(step) {
    const record = { name: step.name, method: step.method, path: step.path };
    for (const flag of ['topic', 'resource', 'volatile', 'scratch', 'note'])
      if (step[flag] !== undefined) record[flag] = step[flag];
    const absent = needed(step).filter((name) => this.variables[name] === undefined);
    if (step.requires && !this.well.has(step.requires))
      return { ...record, skipped: `needs ${step.requires} to have ended well` };
    const cause =
      step.until && this.failed.has(step.name.replace(/\/[^/]+$/, ''))
        ? step.name.replace(/\/[^/]+$/, '')
        : undefined;
    if (cause)
      return {
        ...record,
        skipped: `nothing to wait for: ${cause} answered ${this.failed.get(cause)}`,
      };
    if (absent.length)
      return {
        ...record,
        ...(step.optional ? { optional: true } : {}),
        skipped: absent
          .map((name) => `${name}: ${this.missing.get(name) ?? 'never captured'}`)
          .join('; '),
      };
    const request = {
      method: step.method,
      path: this.url(step),
      headers: this.headers(step),
      body: step.body === undefined ? undefined : this.fill(step.body),
    };
    const started = Date.now();
    let answer = await this.target.connection.send(request);
    if (answer.status === 401 && (step.auth ?? 'bearer') === 'bearer' && this.target.renew) {
      // An earlier step ended the shared session: get a new token and record that.
      this.target.token = await this.target.renew();
      this.secrets.push(this.target.token);
      record.signedInAgain = true;
      request.headers.authorization = `Bearer ${this.target.token}`;
      answer = await this.target.connection.send(request);
    }
    if (step.until) {
      const until = step.until;
      const deadline = started + until.timeout * 1000 * this.waitScale;
      let polls = 1;
      let pause = 100;
      for (;;) {
        const state = this.reached(until, answer);
        if (state !== undefined || Date.now() > deadline) {
          record.reached = state ?? false;
          break;
        }
        await sleep(pause);
        pause = Math.min(pause * 1.5, 3000);
        answer = await this.target.connection.send(request);
        polls += 1;
      }
      record.polls = polls;
    }
    record.ms = Date.now() - started;
    record.url = this.mask(request.path);
    record.requestHeaders = {
      ...request.headers,
      ...(request.headers.authorization
        ? {
            authorization: this.mask(
              request.headers.authorization.replace(/^(Basic) .*/, '$1 ***'),
            ),
          }
        : {}),
    };
    if (request.body !== undefined) record.requestBody = this.mask(request.body);
    if (answer.error) record.error = answer.error;
    else
      Object.assign(record, {
        status: answer.status,
        reason: answer.reason,
        headers: this.shownHeaders(answer.headers),
        body: this.mask(answer.body),
      });
    if (answer.error || answer.status >= 400)
      this.failed.set(step.name, answer.error ?? answer.status);
    else if ((record.reached ?? true) === true) this.well.add(step.name);
    this.capture(step, answer, record);
    return record;
  }

  /** true: wanted state; 'failed': a final failure state; undefined: continue. */
  reached(until, answer) {
    if (until.gone) return answer.status === 404 ? true : undefined;
    if (answer.error || answer.status >= 400) return answer.status === 404 ? 'failed' : undefined;
    const { root } = parseBody(answer.body, answer.headers['content-type']);
    const value =
      typeof until.field === 'function' ? until.field(root, this.variables) : root?.at(until.field);
    if (until.is.includes(value) || (until.is.includes('(absent)') && value === undefined))
      return true;
    return until.fail.includes(value) ? 'failed' : undefined;
  }

  shownHeaders(headers) {
    const shown = {};
    for (const [name, value] of Object.entries(headers)) {
      if (
        ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'].includes(name)
      )
        continue;
      if (name === 'set-cookie')
        shown[name] = value.map((cookie) =>
          cookie.replace(/^([^=]+)=[^;]*/, (_, key) => `${key}=***`),
        );
      else shown[name] = this.mask(String(value));
    }
    return shown;
  }

  capture(step, answer, record) {
    if (!step.capture) return;
    const { root } = answer.error ? {} : parseBody(answer.body, answer.headers['content-type']);
    const captured = {};
    for (const [name, how] of Object.entries(step.capture)) {
      let value;
      if (how === '(body)') value = answer.status === 200 ? answer.body : undefined;
      else if (how === '(cookie)')
        value = answer.headers?.['set-cookie']?.map((cookie) => cookie.split(';')[0]).join('; ');
      else if (typeof how === 'object') value = answer.headers?.[how.header];
      else if (root && answer.status < 300)
        value = typeof how === 'function' ? how(root, this.variables) : root.at(how);
      if (value) {
        this.variables[name] = value;
        captured[name] = how === '(body)' ? '(the body)' : value;
        if (how === '(cookie)' || how === 'access_token') {
          this.secrets.push(value.replace(/^[^=]*=/, ''));
          captured[name] = '***';
        }
      } else
        this.missing.set(
          name,
          `${step.name} answered ${answer.error ?? answer.status}${answer.status < 300 ? ' without it' : ''}`,
        );
    }
    if (Object.keys(captured).length) record.captured = captured;
  }
}
