/** Parameters of a request: of the query, or of the action body. */
export interface Parameters {
  /** A boolean parameter; undefined if absent or invalid. */
  readonly flag: (name: string) => boolean | undefined;
  readonly text: (name: string) => string | undefined;
}
