/** Operations that are also answered with a file instead of a document, for clients that ask for it. */

export interface FileAnswer {
  /** Media type of the file. */
  readonly media: string;
  /** The action of the same object whose result has the file, and the member of it. */
  readonly action: string;
  readonly member: string;
  /** Whoever accepts anything gets the file. */
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
