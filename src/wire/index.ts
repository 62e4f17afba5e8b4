/** XML and JSON codecs, driven by the model. */
export { decodeAction, decodeList, decodeObject } from './decode.ts';
export {
  type CollectionExtras,
  encodeAction,
  encodeItem,
  encodeLargeObject,
  encodeList,
  encodeListChunks,
  encodeObject,
  encodeRuns,
  listFrame,
} from './encode.ts';
export { WireError, type WireErrorKind } from './error.ts';
export { decodeFault, encodeFault, type Fault } from './fault.ts';
export { type Link, LinkList } from './links.ts';
export type { DecodeOptions, MediaType } from './media.ts';
