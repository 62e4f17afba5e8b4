/** Part of a bundle that contains the ids of its modules. */
interface Bundle {
  readonly [file: string]: { readonly moduleIds?: readonly string[] };
}

export class BundledPackages {
  readonly plugin: {
    readonly name: string;
    generateBundle(options: unknown, bundle: Bundle): void;
  };
  readonly folders: readonly string[];
  notices(): string;
}
