/** Names of the topics of help, for those who need no page: completion. A test compares them with the pages. */
export const topicNames: readonly string[] = [
  'flags',
  'environment',
  'nouns',
  'exit-codes',
  'definitions',
  'output',
  'errors',
  'references',
  'waiting',
  'scripting',
  'accessibility',
  'offline',
  'search',
];
