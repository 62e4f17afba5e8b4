/**
 * Fault rules: requests fail, wait or lose their connection, so that automation can be tested
 * against an unreliable site.
 */
import { findCloseMatches } from '../../cli/text/did-you-mean.ts';
import { getTag, isType, listAllOperations, type Operation } from '../../model/index.ts';
import { Refusal } from '../../server/core/fault.ts';
import { ConnectionDropped, type RequestInterceptor } from '../../server/core/interceptor.ts';

/** A rule. Absent members match every request. */
export interface FaultRule {
  readonly id: string;
  /** Operation name of the model: `start`, `add`, `list`. */
  readonly operation?: string;
  /** Type of the object: `vm`. */
  readonly type?: string;
  /** Name of the object; `*` matches any characters. */
  readonly name?: string;
  /** Share of the matching requests that fail, 0 to 1. */
  readonly rate: number;
  /** Number of failures before the rule expires. */
  readonly times?: number;
  /** Delay in milliseconds. A rule with only a delay does not fail the request. */
  readonly delay?: number;
  /** Maximum deviation from the delay in milliseconds, uniformly distributed; at most the delay. */
  readonly spread?: number;
  /** Status of the response; 409 by default. */
  readonly status?: number;
  readonly detail?: string;
  /** Whether to close the connection without a response. */
  readonly drop?: boolean;
}

/** Milliseconds; Node.js timers are limited to 24 days. */
const longestDelayMs = 86_400_000;

const numbers: ReadonlySet<string> = new Set(['rate', 'times', 'delay', 'spread', 'status']);
const textMembers: ReadonlySet<string> = new Set(['operation', 'type', 'name', 'detail']);

/** A rule with its remaining count. */
export type CountedRule = FaultRule & { readonly remaining: number };

/** Rules that several servers share. */
export interface SharedRules {
  readonly rules: readonly CountedRule[];
  /** Adds a rule and assigns its id. */
  add(rule: FaultRule): Promise<FaultRule>;
  /** Removes a rule, or all rules. Resolves to whether one existed. */
  remove(id?: string): Promise<boolean>;
  /** Decrements the remaining count of a rule; resolves to false if it was used up. */
  count(id: string): Promise<boolean>;
}

export class FaultRules implements RequestInterceptor {
  /** Rules of this server only. */
  #ownRules: (FaultRule & { remaining: number })[] = [];
  #last = 0;
  readonly #random: () => number;
  readonly #shared: SharedRules | undefined;

  constructor(random: () => number, shared?: SharedRules) {
    this.#random = random;
    this.#shared = shared;
  }

  get all(): readonly FaultRule[] {
    return this.#rules.map(({ remaining, ...rule }) =>
      Number.isFinite(remaining) ? { ...rule, times: remaining } : rule,
    );
  }

  /** Whether any rule exists. */
  get isActive(): boolean {
    return (
      this.#ownRules.length > 0 || (this.#shared !== undefined && this.#shared.rules.length > 0)
    );
  }

  get #rules(): readonly CountedRule[] {
    return this.#shared ? [...this.#ownRules, ...this.#shared.rules] : this.#ownRules;
  }

  /** Adds a rule of this server only. Throws an `Error` with the reason if the rule is invalid. */
  add(members: Readonly<Record<string, unknown>>, id = `fault-${this.#last + 1}`): FaultRule {
    const rule = checkRule(members, id);
    this.#last += 1;
    this.#ownRules.push({ ...rule, remaining: rule.times ?? Number.POSITIVE_INFINITY });
    return rule;
  }

  /** Adds a rule for all servers. Rejects with the reason if the rule is invalid. */
  async share(members: Readonly<Record<string, unknown>>): Promise<FaultRule> {
    return this.#shared ? this.#shared.add(checkRule(members, '')) : this.add(members);
  }

  /** Removes a rule, or all rules. Resolves to whether one existed. */
  async remove(id?: string): Promise<boolean> {
    const before = this.#ownRules.length;
    this.#ownRules = id === undefined ? [] : this.#ownRules.filter((rule) => rule.id !== id);
    const isForgotten = (await this.#shared?.remove(id)) ?? false;
    return isForgotten || this.#ownRules.length < before || id === undefined;
  }

  /**
   * Applies the delay rules that are independent of the operation, like a slow network, before
   * every response.
   */
  async beforeResponse(): Promise<void> {
    for (const rule of this.#rules.filter(isUnconditionalDelay)) {
      if (this.#isSelected(rule) && (await this.#countFailure(rule))) await this.#wait(rule);
    }
  }

  /**
   * Applies the first matching rule: waits, refuses the request or drops the connection. Calls
   * `name` only if a rule needs the object name.
   */
  async beforeOperation(operation: Operation, name: () => string | undefined): Promise<void> {
    for (const rule of this.#rules) {
      if (isUnconditionalDelay(rule) || !matchesRule(rule, operation, name)) continue;
      if (!this.#isSelected(rule)) return;
      // Another server may have used up the rule since it was read.
      if (!(await this.#countFailure(rule))) continue;
      await this.#wait(rule);
      if (rule.drop) throw new ConnectionDropped('A fault rule ends the connection.');
      if (isDelayOnly(rule)) return;
      const detail = rule.detail ?? `Rule ${rule.id} makes ${operation.name} fail.`;
      throw new Refusal(rule.status ?? 409, 'Operation Failed', `[${detail}]`);
    }
  }

  /** Whether the random choice selects this request. */
  #isSelected({ rate }: FaultRule): boolean {
    return rate >= 1 || this.#random() < rate;
  }

  /**
   * Decrements the remaining count of a rule and removes the rule at zero; false if it was used up.
   */
  #countFailure({ id, remaining }: CountedRule): boolean | Promise<boolean> {
    const own = this.#ownRules.find((rule) => rule.id === id);
    if (!own) return Number.isFinite(remaining) && this.#shared ? this.#shared.count(id) : true;
    own.remaining -= 1;
    if (own.remaining <= 0) this.#ownRules = this.#ownRules.filter((rule) => rule !== own);
    return true;
  }

  async #wait({ delay = 0, spread = 0 }: FaultRule): Promise<void> {
    if (delay === 0) return;
    const milliseconds = delay + (spread === 0 ? 0 : spread * (2 * this.#random() - 1));
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
  }
}

function isDelayOnly({ delay, status, detail, drop }: FaultRule): boolean {
  return Boolean(delay) && status === undefined && detail === undefined && drop !== true;
}

/** Whether a rule delays every response: it has a delay and no condition on the operation. */
function isUnconditionalDelay(rule: FaultRule): boolean {
  const { operation, type, name } = rule;
  return isDelayOnly(rule) && operation === undefined && type === undefined && name === undefined;
}

function matchesRule(
  rule: FaultRule,
  operation: Operation,
  name: () => string | undefined,
): boolean {
  if (rule.operation !== undefined && rule.operation !== operation.name) return false;
  if (rule.type !== undefined && rule.type !== operation.type) return false;
  return rule.name === undefined || createPattern(rule.name).test(name() ?? '');
}

function createPattern(text: string): RegExp {
  const parts = text.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'i');
}

/**
 * Parses the short form of a rule: `operation=start,vm=web*,rate=0.1`. Throws an `Error` with the
 * reason.
 */
export function parseFault(text: string): Record<string, unknown> {
  const members = new Map<string, unknown>();
  for (const pair of text.split(',')) {
    const equals = pair.indexOf('=');
    const key = (equals < 0 ? pair : pair.slice(0, equals)).trim();
    const value = equals < 0 ? 'true' : pair.slice(equals + 1).trim();
    for (const [name, member] of parsePair(key, value)) {
      if (members.has(name)) throw new Error(`"${name}" appears twice`);
      members.set(name, member);
    }
  }
  return Object.fromEntries(members);
}

/** Members of a rule for one pair of the short form. */
function parsePair(key: string, value: string): (readonly [string, unknown])[] {
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
  throw new Error(
    `"${key}" is neither ${describeMembers()}, nor a type, for example ${getTag('vm')}`,
  );
}

function describeMembers(): string {
  return [...textMembers, ...numbers, 'drop'].join(', ');
}

function checkRule(members: Readonly<Record<string, unknown>>, id: string): FaultRule {
  for (const [key, value] of Object.entries(members)) {
    if (key === 'id') continue;
    if (numbers.has(key) && !isNumber(value)) {
      throw new Error(`${key} is not a number of at least 0`);
    }
    if (key === 'drop' && typeof value !== 'boolean') {
      throw new Error('drop is neither true nor false');
    }
    if (!numbers.has(key) && !textMembers.has(key) && key !== 'drop') {
      throw new Error(`"${key}" is not one of ${describeMembers()}`);
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
  if (delay > longestDelayMs) throw new Error('delay is more than a day');
  if (spread > delay) throw new Error('spread is more than the delay');
  if (type !== undefined && !isType(type)) throw new Error(`unknown type ${type}`);
  checkOperation(rule);
  if (status !== undefined && !(status >= 400 && status <= 599 && Number.isInteger(status))) {
    throw new Error('status is not from 400 to 599');
  }
  return { ...rule, id, rate };
}

/** Throws for an operation that no object, or no object of the type, has: the rule would never apply. */
function checkOperation({ operation, type }: Partial<FaultRule>): void {
  if (operation === undefined) return;
  const names = listAllOperations()
    .filter((one) => type === undefined || one.type === type)
    .map(({ name }) => name);
  if (names.includes(operation)) return;
  const near = findCloseMatches(operation, [...new Set(names)]);
  const hint = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
  const of = type === undefined ? '' : ` of ${type}`;
  throw new Error(`unknown operation ${operation}${of}${hint}`);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
