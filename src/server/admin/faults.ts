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
  /** Milliseconds by which single delays are shorter or longer, evenly spread; at most the delay. */
  readonly spread?: number;
  /** Status of the refusal; 409 unless said otherwise. */
  readonly status?: number;
  readonly detail?: string;
  /** The connection ends without an answer. */
  readonly drop?: boolean;
}

/** Thrown to end the connection of a request. */
export class Dropped extends Error {}

/** Milliseconds; timers take no more than 24 days. */
const longestDelay = 86_400_000;

const numbers: ReadonlySet<string> = new Set(['rate', 'times', 'delay', 'spread', 'status']);
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

  /**
   * Waits as the rules say that are about no operation: as a slow network does, before any answer,
   * whatever it will be.
   */
  async wait(): Promise<void> {
    for (const rule of this.#rules.filter(isLatency)) {
      if (this.#strikes(rule)) await this.#delay(rule);
    }
  }

  /** Waits, fails or ends the connection if a rule strikes. `name` is looked up where it matters. */
  async strike(operation: Operation, name: () => string | undefined): Promise<void> {
    const rule = this.#rules.find((one) => !isLatency(one) && fits(one, operation, name));
    if (!rule || !this.#strikes(rule)) return;
    await this.#delay(rule);
    if (rule.drop) throw new Dropped('A fault rule ends the connection.');
    if (onlyWaits(rule)) return;
    const detail = rule.detail ?? `The rule ${rule.id} makes ${operation.name} fail.`;
    throw new Refusal(rule.status ?? 409, 'Operation Failed', `[${detail}]`);
  }

  /** Whether a rule strikes this time; one that is used up is forgotten. */
  #strikes(rule: FaultRule & { left: number }): boolean {
    if (rule.rate < 1 && this.#random() >= rule.rate) return false;
    rule.left -= 1;
    if (rule.left <= 0) this.#rules = this.#rules.filter((one) => one !== rule);
    return true;
  }

  async #delay({ delay = 0, spread = 0 }: FaultRule): Promise<void> {
    if (delay === 0) return;
    const milliseconds = delay + (spread === 0 ? 0 : spread * (2 * this.#random() - 1));
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
  }
}

function onlyWaits({ delay, status, detail, drop }: FaultRule): boolean {
  return Boolean(delay) && status === undefined && detail === undefined && drop !== true;
}

/** Whether the rule is about every answer: it only waits, and says nothing of the operation. */
function isLatency(rule: FaultRule): boolean {
  const { operation, type, name } = rule;
  return onlyWaits(rule) && operation === undefined && type === undefined && name === undefined;
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
  const { rate = 1, status, type, delay = 0, spread = 0 } = rule;
  if (rate > 1) throw new Error('rate is more than 1');
  if (delay > longestDelay) throw new Error('delay is more than a day');
  if (spread > delay) throw new Error('spread is more than the delay');
  if (type !== undefined && !isType(type)) throw new Error(`there is no type ${type}`);
  if (status !== undefined && !(status >= 400 && status <= 599 && Number.isInteger(status))) {
    throw new Error('status is not from 400 to 599');
  }
  return { ...rule, id, rate };
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
