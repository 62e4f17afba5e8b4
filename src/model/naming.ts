/** Scopes in which the names of objects are unique. */
import { naming } from './derive/naming.ts';

/** Attribute that distinguishes objects of the same name: `data_center` for networks. */
export function getNameScope(type: string): string | undefined {
  const unique = naming[type]?.unique;
  return typeof unique === 'object' ? unique.within : undefined;
}
