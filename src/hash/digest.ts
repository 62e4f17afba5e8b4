/** A hash under way: takes bytes one after the other, and ends with their digest. */
export interface Digest {
  update(data: Uint8Array): unknown;
  digest(): Buffer;
}
