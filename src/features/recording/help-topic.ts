/** Help topic `vmctl help recording`. */
export const recordingTopic = `Recordings.

--record writes the requests and responses of a command to a file, without secrets. serve --replay
answers the same requests from that file, for example to reproduce a problem:

  vmctl vms start web01 --record session.ndjson
  vmctl serve --replay session.ndjson -- vmctl vms start web01
`;
