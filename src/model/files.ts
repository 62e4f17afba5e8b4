/** Operations that can also return a file instead of a document. */

export interface FileAnswer {
  /** Media type of the file. */
  readonly media: string;
  /** Action of the same object whose result contains the file, and its member. */
  readonly action: string;
  readonly member: string;
  /** Whether requests that accept any media type receive the file. */
  readonly preferred?: true;
}

/** By method and path. */
export const fileAnswers: Readonly<Record<string, FileAnswer>> = {
  'GET /vms/{vm}/graphicsconsoles/{console}': {
    media: 'application/x-virt-viewer',
    action: 'remote_viewer_connection_file',
    member: 'remote_viewer_connection_file',
  },
  'POST /vms/{vm}/screenshot': {
    media: 'image/png',
    action: 'screenshot',
    member: 'screenshot',
    preferred: true,
  },
};
