/** Scopes in which the names of objects are unique. */
import { naming } from './derive/naming.ts';

/** The attribute that tells objects of the same name apart: `data_center` of networks. */
export function scopeOf(type: string): string | undefined {
  const unique = naming[type]?.unique;
  return typeof unique === 'object' ? unique.within : undefined;
}
