/** Mappings of references when a VM is registered. */
import { structure } from '../notation/resource.ts';

export const registrationConfiguration = structure('registration_configuration', {
  attributes: {
    cluster_mappings: { kind: 'list struct registration_cluster_mapping', mut: 'CU' },
    role_mappings: { kind: 'list struct registration_role_mapping', mut: 'CU' },
    lun_mappings: { kind: 'list struct registration_lun_mapping', mut: 'CU' },
    domain_mappings: { kind: 'list struct registration_domain_mapping', mut: 'CU' },
    affinity_group_mappings: {
      kind: 'list struct registration_affinity_group_mapping',
      mut: 'CU',
    },
    affinity_label_mappings: {
      kind: 'list struct registration_affinity_label_mapping',
      mut: 'CU',
    },
    vnic_profile_mappings: { kind: 'list struct registration_vnic_profile_mapping', mut: 'CU' },
  },
});

export const registrationClusterMapping = structure('registration_cluster_mapping', {
  attributes: {
    from: { kind: 'ref cluster', mut: 'CU' },
    to: { kind: 'ref cluster', mut: 'CU' },
  },
});

export const registrationRoleMapping = structure('registration_role_mapping', {
  attributes: {
    from: { kind: 'ref role', mut: 'CU' },
    to: { kind: 'ref role', mut: 'CU' },
  },
});

export const registrationLunMapping = structure('registration_lun_mapping', {
  attributes: {
    from: { kind: 'ref disk', mut: 'CU' },
    to: { kind: 'ref disk', mut: 'CU' },
  },
});

export const registrationDomainMapping = structure('registration_domain_mapping', {
  attributes: {
    from: { kind: 'ref domain', mut: 'CU' },
    to: { kind: 'ref domain', mut: 'CU' },
  },
});

export const registrationAffinityGroupMapping = structure('registration_affinity_group_mapping', {
  attributes: {
    from: { kind: 'ref affinity_group', mut: 'CU' },
    to: { kind: 'ref affinity_group', mut: 'CU' },
  },
});

export const registrationAffinityLabelMapping = structure('registration_affinity_label_mapping', {
  attributes: {
    from: { kind: 'ref affinity_label', mut: 'CU' },
    to: { kind: 'ref affinity_label', mut: 'CU' },
  },
});

export const registrationVnicProfileMapping = structure('registration_vnic_profile_mapping', {
  attributes: {
    from: { kind: 'ref vnic_profile', mut: 'CU' },
    to: { kind: 'ref vnic_profile', mut: 'CU' },
  },
});
