/** What of a bundle tells where its modules come from. */
interface Bundle {
  readonly [file: string]: { readonly moduleIds?: readonly string[] };
}

export class BundledPackages {
  readonly plugin: {
    readonly name: string;
    generateBundle(options: unknown, bundle: Bundle): void;
  };
  notices(): string;
}
