// What the thread that makes checksums is asked, and what it answers.

/** Each order of a checksum; all but the first and the last are answered, one after the other. */
export type Order =
  | {
      readonly id: number;
      readonly kind: 'start';
      readonly algorithm: string;
      readonly blockSize: number;
    }
  /** Bytes in memory that both threads see. */
  | { readonly id: number; readonly kind: 'update'; readonly bytes: Uint8Array }
  | { readonly id: number; readonly kind: 'zeros'; readonly blocks: number }
  | { readonly id: number; readonly kind: 'digest' }
  | { readonly id: number; readonly kind: 'drop' };

/** The checksum in hexadecimal, where that was asked; or why the order could not be followed. */
export interface Done {
  readonly checksum?: string;
  readonly failure?: string;
}
