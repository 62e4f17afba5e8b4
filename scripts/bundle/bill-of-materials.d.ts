export function addComponent(
  text: string,
  component: { readonly name: string; readonly version: string; readonly license: string },
): string;
