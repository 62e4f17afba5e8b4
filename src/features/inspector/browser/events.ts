/** Events, the newest first, as they are written. */
import { element, stateWord, table } from './dom.ts';
import { repeated, type Section } from './section.ts';

const interval = 2_000;
const shown = 200;

export const events: Section = (place, session, signal) => {
  const list = element('div');
  place.append(list);
  repeated(
    async () => {
      const items = await session.list(`/events?max=${shown}`);
      const rows = items.map((event) =>
        element(
          'tr',
          {},
          element('td', {}, String(event['time'] ?? '').slice(11, 19)),
          element('td', {}, stateWord(String(event['severity'] ?? ''))),
          element('td', { class: 'wide' }, String(event['code'] ?? '')),
          element('td', { class: 'text' }, String(event['description'] ?? '')),
        ),
      );
      list.replaceChildren(table(['Time', 'Severity', ['Code', 'wide'], 'Description'], rows));
    },
    interval,
    signal,
  );
};
