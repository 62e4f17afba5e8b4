/** Sub-services that many objects have in the same form. */
import type { ServiceDefinition } from '../notation.ts';

type Services = Record<`/${string}`, ServiceDefinition>;

/** Who may do what with the object. */
export function permissions(owner: `/${string}`): Services {
  return {
    [`${owner}/permissions`]: {
      type: 'permission',
      operations: {
        list: 'follow',
        add: '',
      },
    },
    [`${owner}/permissions/{permission}`]: {
      type: 'permission',
      operations: {
        get: 'follow',
        remove: 'async',
      },
    },
  };
}

/** Tags put on the object. */
export function tags(owner: `/${string}`): Services {
  return {
    [`${owner}/tags`]: {
      type: 'tag',
      operations: {
        list: 'follow max',
        add: '',
      },
    },
    [`${owner}/tags/{tag}`]: {
      type: 'tag',
      operations: {
        get: 'follow',
        remove: 'async',
      },
    },
  };
}

/** Measured values of the object. */
export function statistics(owner: `/${string}`): Services {
  return {
    [`${owner}/statistics`]: {
      type: 'statistic',
      operations: {
        list: 'follow max',
      },
    },
    [`${owner}/statistics/{statistic}`]: {
      type: 'statistic',
      operations: {
        get: 'follow',
      },
    },
  };
}

/** Affinity labels of the object. */
export function affinityLabels(owner: `/${string}`): Services {
  return {
    [`${owner}/affinitylabels`]: {
      type: 'affinity_label',
      operations: {
        list: 'follow',
        add: '',
      },
    },
    [`${owner}/affinitylabels/{label}`]: {
      type: 'affinity_label',
      operations: {
        get: 'follow',
        remove: '',
      },
    },
  };
}

/** Certificates of a provider. */
export function certificates(owner: `/${string}`): Services {
  return {
    [`${owner}/certificates`]: {
      type: 'certificate',
      operations: {
        list: 'follow max',
      },
    },
    [`${owner}/certificates/{certificate}`]: {
      type: 'certificate',
      operations: {
        get: 'follow',
      },
    },
  };
}

/** What a role permits. */
export function permits(owner: `/${string}`): Services {
  return {
    [`${owner}/permits`]: {
      type: 'permit',
      operations: {
        list: 'follow max',
        add: '',
      },
    },
    [`${owner}/permits/{permit}`]: {
      type: 'permit',
      operations: {
        get: 'follow',
        remove: 'async',
      },
    },
  };
}

/** Networks attached to a host or to one of its interfaces. */
export function networkAttachments(owner: `/${string}`): Services {
  return {
    [`${owner}/networkattachments`]: {
      type: 'network_attachment',
      operations: {
        list: 'follow max',
        add: '',
      },
    },
    [`${owner}/networkattachments/{attachment}`]: {
      type: 'network_attachment',
      operations: {
        get: 'follow',
        update: 'async',
        remove: 'async',
      },
    },
  };
}

/** Labels by which networks reach interfaces. */
export function networkLabels(owner: `/${string}`): Services {
  return {
    [`${owner}/networklabels`]: {
      type: 'network_label',
      operations: {
        list: 'follow max',
        add: '',
      },
    },
    [`${owner}/networklabels/{label}`]: {
      type: 'network_label',
      operations: {
        get: 'follow',
        remove: 'async',
      },
    },
  };
}

/** Mediated devices of a virtual machine or template. */
export function mediatedDevices(owner: `/${string}`): Services {
  return {
    [`${owner}/mediateddevices`]: {
      type: 'vm_mediated_device',
      operations: {
        list: 'follow max',
        add: '',
      },
    },
    [`${owner}/mediateddevices/{device}`]: {
      type: 'vm_mediated_device',
      operations: {
        get: 'follow',
        update: 'async',
        remove: 'async',
      },
    },
  };
}

/** Errata that apply to the object. */
export function katelloErrata(owner: `/${string}`): Services {
  return {
    [`${owner}/katelloerrata`]: {
      type: 'katello_erratum',
      operations: {
        list: 'follow max',
      },
    },
    [`${owner}/katelloerrata/{katelloerratum}`]: {
      type: 'katello_erratum',
      operations: {
        get: 'follow',
      },
    },
  };
}

/** The services whose path starts with `from`, a second time below another object. */
export function nested(owner: `/${string}`, family: Services, from: string): Services {
  return Object.fromEntries(
    Object.entries(family)
      .filter(([path]) => path === from || path.startsWith(`${from}/`))
      .map(([path, service]) => [`${owner}${path}`, service]),
  );
}
