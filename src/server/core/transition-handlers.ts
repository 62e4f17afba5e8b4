/**
 * Handlers of transitions: the events, copies and effects that a kind adds to its lifecycle table.
 */
import type { StateName, TransitionName } from '../../model/lifecycle.ts';
import type { KindName, StoredObject, TypeOfKind } from '../store/kinds.ts';
import type { ObjectOf } from '../store/transaction.ts';
import type { EventSubjects, RuleContext } from './context.ts';
import type { MessageParams } from './fault.ts';
import type { DeviceChange, PowerChange } from './hypervisor.ts';
import type { HostPath, ImageForm, PackedDisk } from './ports.ts';

/** Data for the end of a transition. Kinds may add members. */
export interface TransitionData extends StoredObject {
  /** Images to copy before the end. */
  readonly copies?: readonly ImageCopy[];
  readonly packing?: Packing;
  /** Message parameters of the events at its end. */
  readonly words?: MessageParams;
  /** Cause of the failure that the transition records, for its events. */
  readonly cause?: string | undefined;
  /** The previewed snapshot, its included disks, and whether its memory is included. */
  readonly snapshot?: string;
  readonly only?: readonly string[] | undefined;
  readonly memory?: boolean;
  /** Transition of the VM after this one. */
  readonly operation?: TransitionOf<'vm'>;
}

/** Transitions in the lifecycle of a kind; any name if the kind is not known. */
export type TransitionOf<K extends KindName> = KindName extends K
  ? string
  : TransitionName<TypeOfKind<K>>;

/** States in the lifecycle of a kind; any name if the kind is not known. */
export type StateOf<K extends KindName> = KindName extends K ? string : StateName<TypeOfKind<K>>;

/** One run of an object through a transition of its lifecycle. */
export interface TransitionRun<K extends KindName = KindName> {
  readonly kind: K;
  readonly collection: string;
  readonly id: string;
  /** Name of the transition in the lifecycle. */
  readonly operation: TransitionOf<K>;
  /** Data for the end of the transition. */
  readonly data?: TransitionData;
  /** Intermediate states that this run skips. */
  readonly skip?: readonly StateOf<K>[];
  /** Settled state before the transition. */
  readonly before?: string;
  /** Final state of this run, if it differs from the table. */
  readonly to?: StateOf<K>;
}

/** Start of a transition: a run without the id and state of its object. */
export type TransitionStart<K extends KindName = KindName> = Omit<
  TransitionRun<K>,
  'id' | 'data' | 'before'
> & {
  readonly data?: TransitionData | undefined;
};

/** A copy of an image to another one. An image copied onto itself loses its blocks of zeros. */
export interface ImageCopy {
  readonly from: string;
  /** The archive that contains the source. `from` is then the name of the archive member. */
  readonly archive?: HostPath;
  readonly to: string;
  /**
   * Move of the image to or from a domain on shared storage; `from` and `to` are equal. Releasing a
   * domain copies nothing: it is the last step, after the commit.
   */
  readonly shared?: { readonly domain: string; readonly way: 'bring' | 'take' | 'release' };
  /** Target format, if the image is converted. */
  readonly form?: ImageForm;
  /**
   * Replace the target only after all copies of this kind are complete: a failure changes none of
   * them.
   */
  readonly together?: true;
  /** Validate the image instead of copying it: its virtual size is at most `size` bytes. */
  readonly check?: { readonly size: number };
  /** Length of the target file in bytes, if it differs from the source. */
  readonly length?: number;
}

/** Part of a transition that the hypervisor does, because VMs that run use the object. */
export interface RunningPart {
  /** Ids of the VMs. */
  readonly vms: readonly string[];
  readonly change: DeviceChange;
  /** Images to copy after the change. It replaces the other copies of the transition. */
  readonly copies?: readonly ImageCopy[];
}

/** An archive to write after the copies. */
export interface Packing {
  readonly archive: HostPath;
  readonly document: string;
  readonly disks: readonly PackedDisk[];
}

type ByTransition<K extends KindName, Handler> = { [T in TransitionOf<K>]?: Handler };

/** Behavior of a kind at the end of its transitions. */
export interface TransitionHandlers<K extends KindName = KindName> {
  /** Subjects and parameters of its events, from the current object. */
  readonly describe: (
    ctx: RuleContext,
    object: ObjectOf<K>,
    run: TransitionRun,
  ) => { subjects: EventSubjects; words?: MessageParams };
  /**
   * By transition: runs in the transaction that ends it. Returns the object to store, or undefined
   * if the object was deleted.
   */
  readonly onEnd?: Readonly<
    ByTransition<
      K,
      (ctx: RuleContext, object: ObjectOf<K>, run: TransitionRun) => ObjectOf<K> | undefined
    >
  >;
  /** By transition: images to copy before it ends. The last state remains until then. */
  readonly copies?: Readonly<
    ByTransition<
      K,
      (ctx: RuleContext, object: ObjectOf<K>, run: TransitionRun) => readonly ImageCopy[]
    >
  >;
  /**
   * By transition: the change that the hypervisor of the site makes before the transition ends.
   * Timers then have no effect.
   */
  readonly power?: Readonly<
    ByTransition<K, (ctx: RuleContext, object: ObjectOf<K>, run: TransitionRun) => PowerChange>
  >;
  /**
   * By transition: the change of devices of running VMs before it ends, for sites with a
   * hypervisor. Undefined if no such VM uses the object. Otherwise, timers have no effect.
   */
  readonly devices?: Readonly<
    ByTransition<
      K,
      (ctx: RuleContext, object: ObjectOf<K>, run: TransitionRun) => RunningPart | undefined
    >
  >;
  /**
   * By transition: handles a failed copy or change of the hypervisor. Returns the object to store,
   * or undefined if it was deleted. By default, the object returns to its previous settled state, or else the first failed
   * state of its lifecycle. Also runs if the rules of a transition have thrown in every attempt.
   */
  readonly onCopyFailure?: Readonly<
    ByTransition<
      K,
      (
        ctx: RuleContext,
        object: ObjectOf<K>,
        run: TransitionRun,
        error: Error,
      ) => ObjectOf<K> | undefined
    >
  >;
}
