/** Names of the files that vmctl runs from, relative to the folder of the project. */
export function programFiles(root: string, platform?: 'linux' | 'win32'): string[];
