/** Faults of templates, pools, exports and imports. */
import type { FaultTexts } from '../notation/faults.ts';

export const templateFaults = {
  TEMPLATE_IN_OTHER_DATA_CENTER: {
    status: 400,
    text: 'Cannot {action} VM. Template {name} does not exist in the data center.',
  },
  TEMPLATE_IS_LOCKED: {
    status: 409,
    text: 'Cannot {action} {type}. Template {name} is {status}. Please try again later.',
  },
  STORAGE_OF_TEMPLATE_MISSING: {
    status: 400,
    text: 'Cannot {action} {type}. Storage domain {name} of disk {disk} is not active.',
  },
  TEMPLATE_IS_BUSY: {
    status: 409,
    text: 'Cannot {action} Template. Template {name} is {status}. Please try again later.',
  },
  TEMPLATE_SOURCE_NOT_DOWN: {
    status: 409,
    text: 'Cannot {action} VM. The VM is locked or still running (status {status}).',
  },
  TEMPLATE_HAS_VMS: {
    status: 409,
    text: 'Cannot {action} Template. VMs or pools depend on it: {names}.',
  },
  TEMPLATE_HAS_VERSIONS: {
    status: 409,
    text: 'Cannot {action} Template. There are versions of it: {names}.',
  },
  TEMPLATE_DELETE_PROTECTED: {
    status: 409,
    text: 'Cannot {action} Template. Delete protection is enabled. Switch it off (delete_protected) first.',
  },
  TEMPLATE_VERSION_NAMED: {
    status: 400,
    text: 'Cannot edit Template. A version has the name of its base; change version_name instead.',
  },
  TEMPLATE_VERSION_IS_NO_BASE: {
    status: 400,
    text: 'Cannot {action} Template. {name} is a version itself, and cannot have versions.',
  },
  TEMPLATE_BLANK_HAS_NO_VERSIONS: {
    status: 400,
    text: 'Cannot {action} Template. The Blank template cannot have versions.',
  },
  POOL_NAME_INVALID: {
    status: 400,
    text: 'Cannot {action} VM pool. Its name has one run of question marks at most.',
  },
  POOL_OF_BLANK: {
    status: 409,
    text: 'Cannot {action} VM pool. It cannot use the Blank template.',
  },
  POOL_WITHOUT_VMS: { status: 400, text: 'Cannot {action} VM pool. Its size must not be zero.' },
  POOL_PRESTARTS_TOO_MANY: {
    status: 409,
    text: 'Cannot {action} VM pool. It cannot start more VMs in advance than it has.',
  },
  POOL_TOO_LARGE: {
    status: 400,
    text: 'Cannot {action} VM pool. Its size {size} is more than the limit of {max} VMs.',
  },
  POOL_SHRINKS: { status: 400, text: 'Cannot {action} VM pool. Its size can only grow.' },
  POOL_ATTRIBUTE_FIXED: {
    status: 400,
    text: 'Cannot {action} VM pool. The attribute {attribute} cannot be changed.',
  },
  POOL_IS_EXHAUSTED: { status: 409, text: 'Cannot {action} VM. The pool has no free VM.' },
  POOL_USER_HAS_ENOUGH: {
    status: 409,
    text: 'Cannot {action} VM. The user has as many VMs of the pool as allowed.',
  },
  EXPORT_TO_OTHER_DATA_CENTER: {
    status: 409,
    text: 'Cannot {action}. Storage domain {name} is in another data center.',
  },
  EXPORTED_ALREADY: {
    status: 409,
    text: 'Cannot {action}. {name} has been exported there already; exclusive replaces it.',
  },
  EXPORT_DIRECTORY_INVALID: {
    status: 400,
    text: 'Cannot {action}. "{directory}" is not the absolute path of a directory on the host.',
  },
  IMPORT_FILE_MISSING: {
    status: 400,
    text: 'Cannot {action}. No host has the file {url}.',
  },
  IMPORT_FILE_UNREADABLE: {
    status: 400,
    text: 'Cannot {action}. {path} cannot be read: {reason}',
  },
  IMPORT_DISK_MISSING: {
    status: 400,
    text: 'Cannot {action}. The archive holds no file of the disk {name}.',
  },
  WINDOWS_CANNOT_BE_SEALED: {
    status: 400,
    text: 'Cannot {action}. Guests that run Windows cannot be sealed; use sysprep.',
  },
  TEMPLATE_IS_BLANK: { status: 400, text: 'Cannot {action} Template. The Blank template stays.' },
} as const satisfies FaultTexts;
