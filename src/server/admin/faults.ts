/**
 * Failures that were asked for: rules that make requests fail, wait or lose their connection, so
 * that automation can be tried against a site that has troubles.
 */
import { isType, type Operation, tagOf } from '../../model/index.ts';
import { Refusal } from '../core/fault.ts';

/** One rule; what it does not say fits everything. */
export interface FaultRule {
  readonly id: string;
  /** `start`, `add`, `list`; as the model calls it. */
  readonly operation?: string;
  /** Type of the objects: `vm`. */
  readonly type?: string;
  /** Name of the object, with `*` for any characters. */
  readonly name?: string;
  /** Part of the requests that it strikes, 0 to 1. */
  readonly rate: number;
  /** How often it strikes before it is used up. */
  readonly times?: number;
  /** Milliseconds to wait. A rule that only waits lets the request go on. */
  readonly delay?: number;
  /** Status of the refusal; 409 unless said otherwise. */
  readonly status?: number;
  readonly detail?: string;
  /** The connection ends without an answer. */
  readonly drop?: boolean;
}

/** Thrown to end the connection of a request. */
export class Dropped extends Error {}

const numbers: ReadonlySet<string> = new Set(['rate', 'times', 'delay', 'status']);
const textMembers: ReadonlySet<string> = new Set(['operation', 'type', 'name', 'detail']);

export class FaultRules {
  #rules: (FaultRule & { left: number })[] = [];
  #last = 0;
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  get all(): readonly FaultRule[] {
    return this.#rules.map(({ left, ...rule }) =>
      Number.isFinite(left) ? { ...rule, times: left } : rule,
    );
  }

  /** Whether there is anything to look for. */
  get any(): boolean {
    return this.#rules.length > 0;
  }

  /** Adds a rule. Throws with what is wrong with it. */
  add(members: Readonly<Record<string, unknown>>): FaultRule {
    const rule = checked(members, `fault-${this.#last + 1}`);
    this.#last += 1;
    this.#rules.push({ ...rule, left: rule.times ?? Number.POSITIVE_INFINITY });
    return rule;
  }

  /** Forgets a rule, or all of them. Returns whether there was one. */
  remove(id?: string): boolean {
    const before = this.#rules.length;
    this.#rules = id === undefined ? [] : this.#rules.filter((rule) => rule.id !== id);
    return this.#rules.length < before || id === undefined;
  }

  /** Waits, fails or ends the connection if a rule strikes. `name` is looked up where it matters. */
  async strike(operation: Operation, name: () => string | undefined): Promise<void> {
    const rule = this.#rules.find((one) => fits(one, operation, name));
    if (!rule || this.#random() >= rule.rate) return;
    rule.left -= 1;
    if (rule.left <= 0) this.#rules = this.#rules.filter((one) => one !== rule);
    if (rule.delay) await new Promise((resolve) => setTimeout(resolve, rule.delay));
    if (rule.drop) throw new Dropped('A fault rule ends the connection.');
    if (rule.delay && rule.status === undefined && rule.detail === undefined) return;
    const detail = rule.detail ?? `The rule ${rule.id} makes ${operation.name} fail.`;
    throw new Refusal(rule.status ?? 409, 'Operation Failed', `[${detail}]`);
  }
}

function fits(rule: FaultRule, operation: Operation, name: () => string | undefined): boolean {
  if (rule.operation !== undefined && rule.operation !== operation.name) return false;
  if (rule.type !== undefined && rule.type !== operation.type) return false;
  return rule.name === undefined || pattern(rule.name).test(name() ?? '');
}

function pattern(text: string): RegExp {
  const parts = text.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'i');
}

/** Reads the short form of a rule: `operation=start,vm=web*,rate=0.1`. Throws with what is wrong. */
export function parseFault(text: string): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const pair of text.split(',')) {
    const equals = pair.indexOf('=');
    const key = (equals < 0 ? pair : pair.slice(0, equals)).trim();
    const value = equals < 0 ? 'true' : pair.slice(equals + 1).trim();
    if (numbers.has(key)) members[key] = Number(value);
    else if (key === 'drop') members[key] = value === 'true';
    else if (textMembers.has(key)) members[key] = value;
    else if (isType(key)) Object.assign(members, { type: key, name: value });
    else throw new Error(`"${key}" is neither ${known()}, nor a type such as ${tagOf('vm')}`);
  }
  return members;
}

function known(): string {
  return [...textMembers, ...numbers, 'drop'].join(', ');
}

function checked(members: Readonly<Record<string, unknown>>, id: string): FaultRule {
  for (const [key, value] of Object.entries(members)) {
    if (key === 'id') continue;
    if (numbers.has(key) ? !isNumber(value) : key === 'drop' ? typeof value !== 'boolean' : false) {
      throw new Error(`${key} is not a number that is not negative`);
    }
    if (!numbers.has(key) && !textMembers.has(key) && key !== 'drop') {
      throw new Error(`"${key}" is not one of ${known()}`);
    }
    if (textMembers.has(key) && typeof value !== 'string') throw new Error(`${key} is not a text`);
  }
  const rule: Partial<FaultRule> = members;
  const { rate = 1, status, type } = rule;
  if (rate > 1) throw new Error('rate is more than 1');
  if (type !== undefined && !isType(type)) throw new Error(`there is no type ${type}`);
  if (status !== undefined && !(status >= 400 && status <= 599 && Number.isInteger(status))) {
    throw new Error('status is not from 400 to 599');
  }
  return { ...rule, id, rate };
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
