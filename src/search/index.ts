/** Search language: text to syntax tree. */
export type * from './ast.ts';
export { parseSearch } from './parse.ts';
export { SearchError, SearchValueError, UnknownField } from './scanner.ts';
export { listOfferedValues } from './values.ts';
