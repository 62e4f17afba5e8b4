/** Refusals with their HTTP status and fault document; type labels in messages. */
import { type FaultKey, faults } from '../../model/faults.ts';
import type { Placeholder } from '../../model/placeholders.ts';
import type { RefusedStatus } from '../../model/unknown-references.ts';

const typeLabels: Readonly<Record<string, string>> = {
  vm: 'VM',
  vm_pool: 'VM pool',
  disk: 'Virtual Disk',
  nic: 'Interface',
  storage_domain: 'Storage',
  data_center: 'Data Center',
  affinity_group: 'Affinity Group',
  affinity_label: 'Affinity Label',
  mac_pool: 'MAC Pool',
  vnic_profile: 'vNIC profile',
  cpu_profile: 'CPU profile',
  disk_profile: 'disk profile',
  instance_type: 'instance type',
  image_transfer: 'image transfer',
  gluster_volume: 'Gluster Volume',
};

/** The label of a type: `Data Center` for `data_center`. */
export function getTypeLabel(type: string): string {
  return typeLabels[type] ?? formatTypeTitle(type);
}

/** Name of a type in faults: `StorageDomain`. */
export function formatTypeTitle(type: string): string {
  return type
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** Values of the placeholders in the text of an event or fault. */
export type MessageParams = {
  readonly [Name in Placeholder]?: string | number | bigint | undefined;
};

export interface RefusalOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly reword?: ((word: (value: string) => string) => string) | undefined;
}

/** A refused request. `reason` is the category, `detail` the cause (specification 7). */
export class Refusal extends Error {
  readonly status: number;
  readonly reason: string;
  readonly detail: string | undefined;
  /** Additional response headers, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Renders the detail again with its string parameters mapped by `word`. */
  readonly reword: ((word: (value: string) => string) => string) | undefined;

  constructor(
    status: number,
    reason: string,
    detail?: string,
    { headers = {}, reword }: RefusalOptions = {},
  ) {
    super(detail ?? reason);
    this.headers = headers;
    this.status = status;
    this.reason = reason;
    this.detail = detail;
    this.reword = reword;
  }
}

/** Parameters that never name an object. */
const plainParameters: ReadonlySet<string> = new Set([
  'action',
  'type',
  'status',
  'attribute',
  'permit',
]);

/**
 * Creates the refusal of a command that fails validation: the text of the catalogue in square
 * brackets. `given` overrides the status of the catalogue.
 */
export function refused(key: FaultKey, messageParams: MessageParams, given?: number): Refusal {
  const { status: usual, text } = faults[key];
  const status = given ?? usual;
  const detail = (all: MessageParams) => `[${fillPlaceholders(text, all)}]`;
  const reword = (word: (value: string) => string) =>
    detail(
      Object.fromEntries(
        Object.entries(messageParams).map(([name, value]) => [
          name,
          typeof value === 'string' && !plainParameters.has(name) ? word(value) : value,
        ]),
      ),
    );
  return new Refusal(status, 'Operation Failed', detail(messageParams), { reword });
}

/** 400: mandatory attributes are missing. */
export function incomplete(
  type: string,
  missing: readonly string[],
  operation: string,
  reason = 'Incomplete parameters',
): Refusal {
  return new Refusal(400, reason, `${type} [${missing.join(', ')}] required for ${operation}`);
}

/** 400: attributes are missing that the API description declares as mandatory. */
export function invalidInput(type: string, absent: readonly string[], operation: string): Refusal {
  const detail = `${type} [${absent.join(', ')}] required for ${operation}`;
  return new Refusal(400, 'Input validation failed.', detail);
}

const inputReasons: ReadonlySet<string> = new Set([
  'Incomplete parameters',
  'Input validation failed.',
  'Invalid value',
]);

/**
 * Whether a refusal concerns the input itself: actions then return a bare fault without an `action`
 * document.
 */
export function isInputRefusal({ reason }: Refusal): boolean {
  return inputReasons.has(reason);
}

export const notFoundReason = 'Not Found';

/** A reference, by id or name, to an object that does not exist. */
export function entityNotFound(what: string, status: RefusedStatus = 404): Refusal {
  const detail = `Entity not found: ${what}`;
  if (status === 'gone') return notFound(detail);
  return new Refusal(status, 'Operation Failed', detail);
}

/** 404: the addressed object does not exist. */
export function notFound(detail: string): Refusal {
  return new Refusal(404, notFoundReason, detail);
}

/**
 * 404 for an object that a path or body names. Dialects that follow an engine omit the response
 * body.
 */
export class BareNotFound extends Refusal {
  constructor(detail: string) {
    super(404, notFoundReason, detail);
  }
}

/** Replaces each `{Name}` in a text. A placeholder without a value becomes `<UNKNOWN>`. */
export function fillPlaceholders(text: string, messageParams: MessageParams): string {
  const values: Readonly<Record<string, MessageParams[Placeholder]>> = messageParams;
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? '<UNKNOWN>'));
}
