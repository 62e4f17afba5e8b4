/** Sections of a description. */
import type { Item } from '../../cli/output/view.ts';
import type { ApiObject, Client } from '../../client/client.ts';

/** Section with its content: values, rows, or undefined if the caller may not read it. */
export interface Section {
  /** Member of `-o json`. */
  readonly key: string;
  readonly title: string;
  readonly content: Item | readonly Item[] | undefined;
  /** Whether the text omits the section if it is empty, instead of printing `none`. */
  readonly isOmittedIfEmpty?: boolean;
  /** Returns the rows of the text, if they differ from the content. */
  readonly draw?: (rows: readonly Item[]) => readonly Item[];
}

/** Section before its requests. */
export interface SectionPlan extends Omit<Section, 'content'> {
  readonly read: () => Promise<Item | readonly Item[] | undefined>;
}

/** Object to describe. */
export interface Subject {
  readonly client: Client;
  readonly id: string;
  /** `vms/web01`. */
  readonly label: string;
  readonly object: ApiObject;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Description of a kind. */
export interface Description {
  /** Links to follow with the object. */
  readonly follow: string;
  readonly describe: (subject: Subject) => {
    readonly summary: Item;
    readonly sections: readonly SectionPlan[];
  };
}
