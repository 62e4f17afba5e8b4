/** Context of a request: transaction, site, caller, events and refusals. */
import { type EventName, events } from '../../model/events.ts';
import type { FaultKey } from '../../model/faults.ts';
import type { Resource } from '../../model/resource.ts';
import type { SqlCondition } from '../store/conditions.ts';
import type { KindName, StoredObject } from '../store/kinds.ts';
import type { NamedObject } from '../store/stored-members.ts';
import type { Transaction } from '../store/transaction.ts';
import type { CollectionRef } from './collection-ref.ts';
import { fillPlaceholders, type MessageParams, refused } from './fault.ts';
import { findNamedObjects } from './named-objects.ts';
import type { Parameters } from './parameters.ts';
import type { Site } from './ports.ts';

/** User on whose behalf a request runs. */
export interface Caller {
  readonly userId: string;
  /** `admin@internal` */
  readonly userName: string;
  /** Has a role of type admin anywhere, and therefore sees every object unless `filter` is set. */
  readonly administrator: boolean;
  /** Has the role SuperUser on the whole system. */
  readonly superUser: boolean;
}

/** Visibility rules for a caller who does not see every object. */
export interface VisibilityFilter {
  /** The condition on the objects of a kind; undefined if all are visible. */
  readonly condition: (kind: KindName) => SqlCondition | undefined;
  readonly sees: (kind: KindName, id: string) => boolean;
  /** A representation without references to invisible objects. */
  readonly shows: (type: string, shown: StoredObject) => StoredObject;
  /** The visible part of a collection. Refuses with 404 if its owner is invisible. */
  readonly part: (ref: CollectionRef) => CollectionRef;
  /** Refuses with 404 if the first object of a path is invisible, as if it did not exist. */
  readonly enter: (service: string, ids: readonly string[]) => void;
}

interface Named {
  readonly id?: string;
  readonly name?: string;
}

/** Placeholders for the subjects in the texts of events. */
export const subjectWords = {
  vm: 'VmName',
  host: 'HostName',
  cluster: 'ClusterName',
  data_center: 'DataCenterName',
  storage_domain: 'StorageDomainName',
  template: 'TemplateName',
  gluster_volume: 'VolumeName',
  quota: 'QuotaName',
} as const;

type Subject = keyof typeof subjectWords;

/** Subjects of an event. Each becomes a reference of the event. */
export type EventSubjects = { readonly [S in Subject]?: Named | undefined };

function isSubject(name: string): name is Subject {
  return Object.hasOwn(subjectWords, name);
}

/** Subjects that are stored for searches only; events do not show them. */
function isStoredSubject(subject: Subject): subject is 'gluster_volume' | 'quota' {
  return subject === 'gluster_volume' || subject === 'quota';
}

const noParameters: Parameters = { flag: () => undefined, text: () => undefined };

export class RuleContext {
  readonly tx: Transaction;
  readonly site: Site;
  readonly caller: Caller;
  readonly correlationId: string | undefined;
  /** Query parameters of the request; empty for background tasks. */
  readonly parameters: Parameters;
  /** The time of day. */
  readonly now: Date;
  /** Service time in milliseconds, which is monotonic: for due times and durations. */
  readonly steady: number;
  /** Visibility rules of the caller; undefined if all objects are visible. */
  filter: VisibilityFilter | undefined;
  /** Whether the request uses the view of a user, which administrators can request too. */
  asUser = false;
  /** The job of the transitions and work that begin here, and whether one of them failed. */
  job: string | undefined;
  failed = false;
  /** Cause of the failed work that this transaction records. Error events end with it. */
  cause: string | undefined;
  /** Extra steps of the job: type, description, id. */
  readonly steps: Resource<'step'>[] = [];
  /** The external job that the request belongs to. */
  externalJob: string | undefined;
  /** First state of each object that started a transition in this context, by id. */
  readonly firstStates = new Map<string, string>();
  /** Effects outside the database that run after the commit and before the response. */
  readonly afterCommit: (() => void | Promise<void>)[] = [];

  constructor(
    tx: Transaction,
    site: Site,
    caller: Caller,
    correlationId?: string,
    parameters: Parameters = noParameters,
  ) {
    this.tx = tx;
    this.site = site;
    this.caller = caller;
    this.correlationId = correlationId;
    this.parameters = parameters;
    this.now = site.now();
    this.steady = site.steady();
  }

  /** Transaction time in ISO 8601, UTC. */
  get timestamp(): string {
    return this.now.toISOString();
  }

  /** Refuses the request with a fault of the catalogue. */
  refuse(key: FaultKey, messageParams: MessageParams): never {
    throw refused(key, messageParams);
  }

  /**
   * Writes an event in this transaction, under the next id. Only users who see all `objects`, and
   * all objects that the parameters name, see the event.
   */
  event(
    name: EventName,
    subjects: EventSubjects = {},
    messageParams: MessageParams = {},
    objects: readonly NamedObject[] = [],
  ): void {
    const { code, severity, text } = events[name];
    const references: Record<string, Named> = {};
    const names: Record<string, string> = {};
    const named = [...findNamedObjects(this.tx, messageParams, subjects.vm?.id), ...objects];
    for (const [subject, object] of Object.entries(subjects)) {
      if (!isSubject(subject) || !object?.id) continue;
      const known: Named | undefined =
        object.name === undefined ? this.tx.get(subject, object.id) : object;
      const label = known?.name;
      references[subject] = { id: object.id, ...(label ? { name: label } : {}) };
      names[subjectWords[subject]] = label ?? object.id;
      if (isStoredSubject(subject)) named.push({ kind: subject, id: object.id });
    }
    const sentence = fillPlaceholders(text, {
      UserName: this.caller.userName,
      ...names,
      ...messageParams,
    });
    const isCaused = severity === 'error' && this.cause !== undefined;
    this.addEvent({
      code,
      severity,
      description: isCaused ? `${sentence.replace(/\.$/, '')}: ${this.cause}.` : sentence,
      origin: this.site.dialect.origin,
      custom_id: -1,
      ...references,
      ...(named.length > 0 ? { names: named } : {}),
    });
  }

  /** Stores an event; its id is greater than every earlier one. Returns the id. */
  addEvent(event: Record<string, unknown>): string {
    const index = this.tx.next('event');
    const id = String(index);
    this.tx.insert('event', '/events', {
      id,
      index,
      time: this.timestamp,
      flood_rate: 30,
      ...(this.correlationId ? { correlation_id: this.correlationId } : {}),
      user: { id: this.caller.userId, name: this.caller.userName },
      ...event,
    });
    return id;
  }

  /** Context of the service itself, for tasks without a caller. */
  static system(tx: Transaction, site: Site): RuleContext {
    return new RuleContext(tx, site, systemCaller);
  }
}

/** The service itself: its tasks need no permission. */
export const systemCaller: Caller = {
  userId: '00000000-0000-0000-0000-000000000000',
  userName: 'SYSTEM',
  administrator: true,
  superUser: true,
};
