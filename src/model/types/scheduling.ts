/** Types of the scheduling family (specification 2.4). */
import { types } from '../notation.ts';

export const schedulingTypes = types({
  scheduling_policy: {
    doc: 'How a cluster chooses hosts for virtual machines.',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'CU', doc: 'Unique in the system.' },
      locked: { kind: 'bool', mut: 'R', doc: 'True for those that come with the service.' },
      default_policy: { kind: 'bool', mut: 'R', doc: 'True for the policy named none.' },
      balances: { kind: 'links balance', mut: 'R' },
      filters: { kind: 'links filter', mut: 'R' },
      weight: { kind: 'links weight', mut: 'R', doc: 'What it weighs.' },
      description: { kind: 'string', mut: 'CU' },
      properties: { kind: 'list struct property', mut: 'CU' },
    },
  },
  scheduling_policy_unit: {
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'R' },
      description: { kind: 'string', mut: 'R' },
      type: { kind: 'enum policy_unit_type', mut: 'R' },
      internal: { kind: 'bool', mut: 'R' },
      enabled: { kind: 'bool', mut: 'R' },
      properties: { kind: 'list struct property', mut: 'R' },
    },
  },
  filter: {
    identified: true,
    attributes: {
      position: {
        kind: 'int',
        mut: 'C',
        default: 0,
        doc: '1 is first, -1 last, 0 anywhere between.',
      },
      scheduling_policy_unit: { kind: 'ref scheduling_policy_unit', mut: 'C', doc: 'By id.' },
    },
  },
  weight: {
    identified: true,
    attributes: {
      factor: { kind: 'int', mut: 'C', default: 1 },
      scheduling_policy: { kind: 'ref scheduling_policy', mut: 'R' },
      scheduling_policy_unit: { kind: 'ref scheduling_policy_unit', mut: 'C', doc: 'By id.' },
    },
  },
  balance: {
    identified: true,
    attributes: {
      scheduling_policy: { kind: 'ref scheduling_policy', mut: 'R' },
      scheduling_policy_unit: { kind: 'ref scheduling_policy_unit', mut: 'C', doc: 'By id.' },
    },
  },
});
