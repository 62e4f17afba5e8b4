// What a thread that hashes is asked, and what it answers.

/** Each order of a hash; all but the first and the last are answered, one after the other. */
export type Order =
  | { readonly id: number; readonly kind: 'start'; readonly algorithm: string }
  /** Bytes in memory that both threads see, or a copy of a few. */
  | { readonly id: number; readonly kind: 'update'; readonly bytes: Uint8Array }
  | { readonly id: number; readonly kind: 'digest' }
  | { readonly id: number; readonly kind: 'drop' };

/** The digest, where that was asked; or why the order could not be followed. */
export interface Done {
  readonly digest?: Uint8Array;
  readonly failure?: string;
}
