/** Context of a request: the transaction, the site, the caller; events and refusals. */
import { type EventName, events } from '../../model/events.ts';
import type { FaultKey } from '../../model/faults.ts';
import type { Resource } from '../../model/resource.ts';
import type { SqlCondition } from '../store/conditions.ts';
import type { KindName, StoredObject } from '../store/kinds.ts';
import type { NamedObject } from '../store/stored-members.ts';
import type { Transaction } from '../store/transaction.ts';
import type { CollectionRef } from './collection-ref.ts';
import { fill, type MessageParams, refused } from './fault.ts';
import { namedBy } from './named-objects.ts';
import type { Parameters } from './parameters.ts';
import type { Site } from './ports.ts';

/** Who asks. */
export interface Caller {
  readonly userId: string;
  /** `admin@internal` */
  readonly userName: string;
  /** Has a role of type admin anywhere, and so sees everything unless `filter` is asked for. */
  readonly administrator: boolean;
  /** Has the role SuperUser on the whole system. */
  readonly superUser: boolean;
}

/** What a caller sees who does not see everything. */
export interface VisibilityFilter {
  /** The condition on the objects of a kind; undefined where all are visible. */
  readonly condition: (kind: KindName) => SqlCondition | undefined;
  readonly sees: (kind: KindName, id: string) => boolean;
  /** What is shown, without references to what is not visible. */
  readonly shows: (type: string, shown: StoredObject) => StoredObject;
  /** The visible part of a place. Refuses with 404 where its owner is not visible. */
  readonly part: (ref: CollectionRef) => CollectionRef;
  /** Refuses with 404 where the first object of a path is not visible, as if it were not there. */
  readonly enter: (service: string, ids: readonly string[]) => void;
}

interface Named {
  readonly id?: string;
  readonly name?: string;
}

/** The words that name them in the sentences of events. */
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

/** Objects that an event is about; those given become references of the event. */
export type EventSubjects = { readonly [S in Subject]?: Named | undefined };

function isSubject(name: string): name is Subject {
  return Object.hasOwn(subjectWords, name);
}

/** Subjects that are kept for searches: events do not show them. */
function isStoredSubject(subject: Subject): subject is 'gluster_volume' | 'quota' {
  return subject === 'gluster_volume' || subject === 'quota';
}

const noParameters: Parameters = { flag: () => undefined, text: () => undefined };

export class RuleContext {
  readonly tx: Transaction;
  readonly site: Site;
  readonly caller: Caller;
  readonly correlationId: string | undefined;
  /** Parameters of the query of the request; none where no request is behind it. */
  readonly parameters: Parameters;
  /** The time of day. */
  readonly now: Date;
  /** The time of the service in milliseconds, which does not jump: for what is due or ends. */
  readonly steady: number;
  /** What the caller sees; undefined where that is everything. */
  filter: VisibilityFilter | undefined;
  /** Whether the request asks for the view of a user. Administrators may ask for it, too. */
  asUser = false;
  /** The job that moves and work begun here belong to, and whether one of them ended badly. */
  job: string | undefined;
  failed = false;
  /** Cause of the failed work that this transaction records; error events end with it. */
  cause: string | undefined;
  /** Steps that the job has beside those of every job: type, description, id. */
  readonly steps: Resource<'step'>[] = [];
  /** The job of a client that the request is a part of. */
  externalJob: string | undefined;
  /** First state of each object that started a state transition in this context, by id. */
  readonly firstStates = new Map<string, string>();
  /** Work outside the database, done once the transaction is durable and before the answer. */
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

  /** The time of the transaction, as objects hold it: ISO 8601 in UTC. */
  get timestamp(): string {
    return this.now.toISOString();
  }

  /** Refuses the request with a sentence of the catalogue. */
  refuse(key: FaultKey, messageParams: MessageParams): never {
    throw refused(key, messageParams);
  }

  /**
   * Writes an event, in this transaction, under the next id. Only users who see all `objects`, and what the
   * words name, see the event.
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
    const named = [...namedBy(this.tx, messageParams, subjects.vm?.id), ...objects];
    for (const [subject, object] of Object.entries(subjects)) {
      if (!isSubject(subject) || !object?.id) continue;
      const known: Named | undefined =
        object.name === undefined ? this.tx.get(subject, object.id) : object;
      const label = known?.name;
      references[subject] = { id: object.id, ...(label ? { name: label } : {}) };
      names[subjectWords[subject]] = label ?? object.id;
      if (isStoredSubject(subject)) named.push({ kind: subject, id: object.id });
    }
    const sentence = fill(text, { UserName: this.caller.userName, ...names, ...messageParams });
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

  /** The same request, on behalf of the service itself. */
  static system(tx: Transaction, site: Site): RuleContext {
    return new RuleContext(tx, site, systemCaller);
  }
}

/** The service itself: what it does by itself is not asked for permission. */
export const systemCaller: Caller = {
  userId: '00000000-0000-0000-0000-000000000000',
  userName: 'SYSTEM',
  administrator: true,
  superUser: true,
};
