/** Objects that tell which of their members are read. */
import type { StoredObject } from '../store/document.ts';

const originals = new WeakMap<object, StoredObject>();

/** The same object; `read` is told of each member that is looked up, not of those enumerated. */
export function watched(object: StoredObject, read: (name: string) => void): StoredObject {
  // A copy of all members asks for the descriptor of each just before its value.
  let copied: string | symbol | undefined;
  const proxy = new Proxy(object, {
    getOwnPropertyDescriptor(target, name) {
      copied = name;
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
    get(target, name) {
      if (name !== copied && typeof name === 'string') read(name);
      copied = undefined;
      return Reflect.get(target, name);
    },
  });
  originals.set(proxy, object);
  return proxy;
}

/** The object itself, where it is watched: whether a member is missing says nothing of its use. */
export function unwatched(object: StoredObject): StoredObject {
  return originals.get(object) ?? object;
}
