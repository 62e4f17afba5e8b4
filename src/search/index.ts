/** The search language: text to syntax tree. */
export type * from './ast.ts';
export { SearchError } from './error.ts';
export { parseSearch } from './parse.ts';
