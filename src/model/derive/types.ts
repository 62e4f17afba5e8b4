/** All types of the API by name: resources and structures. */
import type { TypeDefinition } from '../notation/attributes.ts';
import { allDeclarations, type TypeName } from '../resources/index.ts';

const members = [
  'tag',
  'plural',
  'doc',
  'base',
  'standsFor',
  'identified',
  'unwritten',
  'answers',
  'attributes',
] as const;

function typeIn(declaration: TypeDefinition): TypeDefinition {
  const present = members.filter((member) => declaration[member] !== undefined);
  return {
    attributes: declaration.attributes,
    ...Object.fromEntries(present.map((member) => [member, declaration[member]])),
  };
}

export const types: Readonly<Record<string, TypeDefinition>> = Object.fromEntries(
  allDeclarations.map((declaration): [TypeName, TypeDefinition] => [
    declaration.name,
    typeIn(declaration),
  ]),
);
