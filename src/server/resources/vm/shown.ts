/** What is shown of machines and templates beside what is kept of them. */
import type { StoredObject } from '../../store/document.ts';
import { shownIcons } from '../icon/rules.ts';
import type { Base } from './checks.ts';
import { isRunning, type Vm } from './vm.ts';

/** Icons, and what displays have said since before they were kept with it. */
export function shownBase(base: Base): StoredObject {
  const icons = shownIcons(base);
  return base.display?.single_qxl_pci === undefined
    ? { ...icons, display: { single_qxl_pci: false, ...base.display } }
    : { ...icons };
}

/** The same for a machine, and how it ran: one that never did was last stopped when it was made. */
export function shownComputed(vm: Vm): StoredObject {
  const shown = shownBase(vm);
  shown['stop_time'] = vm.stop_time ?? vm.creation_time;
  shown['run_once'] = isRunning(vm) ? vm.run_once === true : undefined;
  return shown;
}
