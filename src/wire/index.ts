/** XML and JSON codecs, driven by the model. */

export type { DecodeOptions, MediaType } from './body.ts';
export { WireError, type WireErrorKind } from './body.ts';
export { decodeAction, decodeList, decodeObject } from './decode.ts';
export {
  type CollectionExtras,
  encodeAction,
  encodeItem,
  encodeLargeObject,
  encodeList,
  encodeListChunks,
  encodeObject,
  listFrame,
} from './encode.ts';
export { decodeFault, encodeFault, type Fault, readFault } from './fault.ts';
export { parseJson } from './json-parser.ts';
export { readSingleValue } from './json-reader.ts';
export { type Link, LinkList } from './links.ts';
export { hasIdentity } from './shape.ts';
