/**
 * Names of the help topics, without their pages, for completion. A test compares them with the
 * pages.
 */
import { featureTopics } from '../args/feature-facts.generated.ts';

export const topicNames: readonly string[] = [
  'flags',
  'environment',
  'nouns',
  'exit-codes',
  'output',
  'errors',
  'references',
  'waiting',
  'scripting',
  'accessibility',
  'offline',
  'search',
  ...Object.keys(featureTopics),
];
