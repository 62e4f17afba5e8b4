/** Parameters of a request: of the query, or of the action body. */
export interface Parameters {
  /** A boolean parameter of the query; undefined when absent or unreadable. */
  readonly flag: (name: string) => boolean | undefined;
  readonly text: (name: string) => string | undefined;
}
