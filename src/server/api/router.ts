/** Finds the service behind a path: a tree of path segments, built from the model. */

import { services } from '../../model/derive/services.ts';
import { type Operation, operationsOf } from '../../model/index.ts';

interface Node {
  readonly words: Map<string, Node>;
  /** The branch for any id, and the name of the parameter. */
  parameter?: { readonly name: string; readonly node: Node };
  service?: string;
  action?: Operation;
}

export interface Match {
  /** Path template of the service: `/vms/{vm}`. */
  readonly service: string;
  /** Operations of the path, by HTTP method; one POST where the path ends in an action. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** Values of the path parameters, in order. */
  readonly ids: readonly string[];
}

const root: Node = { words: new Map() };
for (const path of Object.keys(services)) {
  const node = nodeOf(path);
  node.service = path;
  for (const operation of operationsOf(path)) {
    if (operation.isAction) nodeOf(operation.path).action = operation;
  }
}

function nodeOf(path: string): Node {
  let node = root;
  for (const segment of path.split('/').filter((word) => word !== '')) {
    node = segment.startsWith('{') ? parameterNode(node, segment) : wordNode(node, segment);
  }
  return node;
}

function parameterNode(node: Node, segment: string): Node {
  node.parameter ??= { name: segment.slice(1, -1), node: { words: new Map() } };
  return node.parameter.node;
}

function wordNode(node: Node, segment: string): Node {
  let next = node.words.get(segment);
  if (!next) {
    next = { words: new Map() };
    node.words.set(segment, next);
  }
  return next;
}

/** What a path below the API root addresses; undefined where the model has no such path. */
export function route(segments: readonly string[]): Match | undefined {
  let node = root;
  const ids: string[] = [];
  for (const segment of segments) {
    const word = node.words.get(segment);
    if (word) {
      node = word;
    } else if (node.parameter) {
      ids.push(segment);
      node = node.parameter.node;
    } else {
      return undefined;
    }
  }
  if (node.service === undefined && !node.action) return undefined;
  const operations = new Map<string, Operation>();
  if (node.service !== undefined) {
    for (const operation of operationsOf(node.service)) {
      if (!operation.isAction) operations.set(operation.http, operation);
    }
  }
  if (node.action) operations.set('POST', node.action);
  return { service: node.service ?? node.action?.service ?? '/', operations, ids };
}
