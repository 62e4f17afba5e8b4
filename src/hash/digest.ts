/** Interface of an incremental hash. */
export interface Digest {
  update(data: Uint8Array): unknown;
  digest(): Buffer;
}
