/**
 * Failures that were asked for: rules that make requests fail, wait or lose their connection, so
 * that automation can be tried against a site that has troubles.
 */
import { getTag, isType, type Operation } from '../../model/index.ts';
import { Refusal } from '../../server/core/fault.ts';
import { ConnectionDropped, type RequestInterceptor } from '../../server/core/interceptor.ts';

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

/** Milliseconds; timers take no more than 24 days. */
const longestDelay = 86_400_000;

const numbers: ReadonlySet<string> = new Set(['rate', 'times', 'delay', 'spread', 'status']);
const textMembers: ReadonlySet<string> = new Set(['operation', 'type', 'name', 'detail']);

/** A rule, and how often it still strikes. */
export type KeptRule = FaultRule & { readonly left: number };

/** Rules that several servers have. */
export interface SharedRules {
  readonly rules: readonly KeptRule[];
  /** Adds a rule, and gives it an id. */
  add(rule: FaultRule): Promise<FaultRule>;
  /** Forgets a rule, or all of them. Answers whether there was one. */
  remove(id?: string): Promise<boolean>;
  /** Counts that a rule strikes; answers whether it still does. */
  count(id: string): Promise<boolean>;
}

export class FaultRules implements RequestInterceptor {
  /** Those that belong to this server alone. */
  #own: (FaultRule & { left: number })[] = [];
  #last = 0;
  readonly #random: () => number;
  readonly #shared: SharedRules | undefined;

  constructor(random: () => number, shared?: SharedRules) {
    this.#random = random;
    this.#shared = shared;
  }

  get all(): readonly FaultRule[] {
    return this.#rules.map(({ left, ...rule }) =>
      Number.isFinite(left) ? { ...rule, times: left } : rule,
    );
  }

  /** Whether there is anything to look for. */
  get isActive(): boolean {
    return this.#own.length > 0 || (this.#shared !== undefined && this.#shared.rules.length > 0);
  }

  get #rules(): readonly KeptRule[] {
    return this.#shared ? [...this.#own, ...this.#shared.rules] : this.#own;
  }

  /** Adds a rule of this server alone. Throws with what is wrong with it. */
  add(members: Readonly<Record<string, unknown>>, id = `fault-${this.#last + 1}`): FaultRule {
    const rule = checked(members, id);
    this.#last += 1;
    this.#own.push({ ...rule, left: rule.times ?? Number.POSITIVE_INFINITY });
    return rule;
  }

  /** Adds a rule for all servers. Rejects with what is wrong with it. */
  async share(members: Readonly<Record<string, unknown>>): Promise<FaultRule> {
    return this.#shared ? this.#shared.add(checked(members, '')) : this.add(members);
  }

  /** Forgets a rule, or all of them. Answers whether there was one. */
  async remove(id?: string): Promise<boolean> {
    const before = this.#own.length;
    this.#own = id === undefined ? [] : this.#own.filter((rule) => rule.id !== id);
    const isForgotten = (await this.#shared?.remove(id)) ?? false;
    return isForgotten || this.#own.length < before || id === undefined;
  }

  /**
   * Waits as the rules say that are about no operation: as a slow network does, before any answer,
   * whatever it will be.
   */
  async beforeResponse(): Promise<void> {
    for (const rule of this.#rules.filter(isLatency)) {
      if (this.#hits(rule) && (await this.#counts(rule))) await this.#delay(rule);
    }
  }

  /** Waits, fails or ends the connection if a rule strikes. `name` is looked up where it matters. */
  async beforeOperation(operation: Operation, name: () => string | undefined): Promise<void> {
    for (const rule of this.#rules) {
      if (isLatency(rule) || !fits(rule, operation, name)) continue;
      if (!this.#hits(rule)) return;
      // Where others have used it up meanwhile, it is as if it were gone.
      if (!(await this.#counts(rule))) continue;
      await this.#delay(rule);
      if (rule.drop) throw new ConnectionDropped('A fault rule ends the connection.');
      if (onlyWaits(rule)) return;
      const detail = rule.detail ?? `Rule ${rule.id} makes ${operation.name} fail.`;
      throw new Refusal(rule.status ?? 409, 'Operation Failed', `[${detail}]`);
    }
  }

  /** Whether it is one of the requests that a rule is for. */
  #hits({ rate }: FaultRule): boolean {
    return rate >= 1 || this.#random() < rate;
  }

  /** Counts that a rule strikes; false where it is used up. One that is used up is forgotten. */
  #counts({ id, left }: KeptRule): boolean | Promise<boolean> {
    const own = this.#own.find((rule) => rule.id === id);
    if (!own) return Number.isFinite(left) && this.#shared ? this.#shared.count(id) : true;
    own.left -= 1;
    if (own.left <= 0) this.#own = this.#own.filter((rule) => rule !== own);
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
  const members = new Map<string, unknown>();
  for (const pair of text.split(',')) {
    const equals = pair.indexOf('=');
    const key = (equals < 0 ? pair : pair.slice(0, equals)).trim();
    const value = equals < 0 ? 'true' : pair.slice(equals + 1).trim();
    for (const [name, member] of membersIn(key, value)) {
      if (members.has(name)) throw new Error(`"${name}" appears twice`);
      members.set(name, member);
    }
  }
  return Object.fromEntries(members);
}

/** The members of a rule that one pair of the short form stands for. */
function membersIn(key: string, value: string): (readonly [string, unknown])[] {
  if (numbers.has(key)) {
    if (!/^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value))
      throw new Error(`${key} is not a number of at least 0`);
    return [[key, Number(value)]];
  }
  if (key === 'drop') {
    if (value !== 'true' && value !== 'false') throw new Error('drop is neither true nor false');
    return [[key, value === 'true']];
  }
  if (textMembers.has(key)) return [[key, value]];
  if (isType(key))
    return [
      ['type', key],
      ['name', value],
    ];
  throw new Error(`"${key}" is neither ${known()}, nor a type, for example ${getTag('vm')}`);
}

function known(): string {
  return [...textMembers, ...numbers, 'drop'].join(', ');
}

function checked(members: Readonly<Record<string, unknown>>, id: string): FaultRule {
  for (const [key, value] of Object.entries(members)) {
    if (key === 'id') continue;
    if (numbers.has(key) && !isNumber(value)) {
      throw new Error(`${key} is not a number of at least 0`);
    }
    if (key === 'drop' && typeof value !== 'boolean') {
      throw new Error('drop is neither true nor false');
    }
    if (!numbers.has(key) && !textMembers.has(key) && key !== 'drop') {
      throw new Error(`"${key}" is not one of ${known()}`);
    }
    if (textMembers.has(key) && typeof value !== 'string')
      throw new Error(`${key} is not a string`);
  }
  const rule: Partial<FaultRule> = members;
  const { rate = 1, times = 1, status, type, delay = 0, spread = 0 } = rule;
  if (rate > 1) throw new Error('rate is more than 1');
  if (!(times >= 1 && Number.isSafeInteger(times))) {
    throw new Error('times is not an integer of at least 1');
  }
  if (delay > longestDelay) throw new Error('delay is more than a day');
  if (spread > delay) throw new Error('spread is more than the delay');
  if (type !== undefined && !isType(type)) throw new Error(`unknown type ${type}`);
  if (status !== undefined && !(status >= 400 && status <= 599 && Number.isInteger(status))) {
    throw new Error('status is not from 400 to 599');
  }
  return { ...rule, id, rate };
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
