/** Handlers of transitions: the events, copies and effects that a kind adds to its lifecycle table. */
import type { StateName, TransitionName } from '../../model/lifecycle.ts';
import type { KindName, StoredObject, TypeOfKind } from '../store/kinds.ts';
import type { ObjectOf } from '../store/transaction.ts';
import type { EventSubjects, RuleContext } from './context.ts';
import type { MessageParams } from './fault.ts';
import type { HostPath, ImageForm, PackedDisk } from './ports.ts';

/** What the end of a transition needs to know; each may have more of its own. */
export interface TransitionData extends StoredObject {
  /** Images to be copied before the end. */
  readonly copies?: readonly ImageCopy[];
  readonly packing?: Packing;
  /** Words of the events at its end. */
  readonly words?: MessageParams;
  /** Cause of the failure that the transition records, for its events. */
  readonly cause?: string | undefined;
  /** A snapshot whose content is shown, those of its disks that are, and whether with its memory. */
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
  /** What the end of the transition needs to know. */
  readonly data?: TransitionData;
  /** States on the way that are left out this time. */
  readonly skip?: readonly StateOf<K>[];
  /** Settled state in which the object was before. */
  readonly before?: string;
  /** State in which it comes to rest this time, instead of that of the table. */
  readonly to?: StateOf<K>;
}

/** Start of a transition: a run without the id and state of its object. */
export type TransitionStart<K extends KindName = KindName> = Omit<
  TransitionRun<K>,
  'id' | 'data' | 'before'
> & {
  readonly data?: TransitionData | undefined;
};

/** Bytes of an image to be copied to another one; onto itself, its zeros become holes. */
export interface ImageCopy {
  readonly from: string;
  /** The archive that holds the bytes; `from` is the name of the file in it then. */
  readonly archive?: HostPath;
  readonly to: string;
  /**
   * The domain on shared storage that it is brought to, or taken from; `from` and `to` are the same.
   * To release a domain copies nothing: it comes last, outside of the transaction.
   */
  readonly shared?: { readonly domain: string; readonly way: 'bring' | 'take' | 'release' };
  /** The form in which it is written, where it is another one. */
  readonly form?: ImageForm;
  /** Replace the target only after all copies of this kind are complete: a failure changes none of them. */
  readonly together?: true;
  /** Validate the image instead of copying it: its virtual size is at most so many bytes. */
  readonly check?: { readonly size: number };
  /** Length of the file afterwards, in bytes, where it is not that of the first. */
  readonly length?: number;
}

/** An archive that is written once the copies are made. */
export interface Packing {
  readonly archive: HostPath;
  readonly document: string;
  readonly disks: readonly PackedDisk[];
}

type ByTransition<K extends KindName, Handler> = { [T in TransitionOf<K>]?: Handler };

/** What a kind of object does at the end of its transitions. */
export interface TransitionHandlers<K extends KindName = KindName> {
  /** Subjects and words of its events, taken from the object as it is then. */
  readonly describe: (
    ctx: RuleContext,
    object: ObjectOf<K>,
    run: TransitionRun,
  ) => { subjects: EventSubjects; words?: MessageParams };
  /**
   * By transition: runs when it has ended, in the transaction that ends it. Returns the object to be
   * stored, or undefined when the object is gone.
   */
  readonly onEnd?: Readonly<
    ByTransition<
      K,
      (ctx: RuleContext, object: ObjectOf<K>, run: TransitionRun) => ObjectOf<K> | undefined
    >
  >;
  /** By transition: images whose bytes are copied before it ends; until then the last state stays. */
  readonly copies?: Readonly<
    ByTransition<
      K,
      (ctx: RuleContext, object: ObjectOf<K>, run: TransitionRun) => readonly ImageCopy[]
    >
  >;
  /**
   * By transition: follows copying that failed. Returns the object to be stored, or undefined when it
   * is gone. By default the object returns to the state in which it was, if that is known, or else goes into the
   * first failed state of its lifecycle. Runs also when the rules of a transition have thrown each time.
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
