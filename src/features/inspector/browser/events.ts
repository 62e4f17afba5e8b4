/** Section with live events, newest first. */
import { element, renderState, table } from './dom.ts';
import { poll, type Section } from './section.ts';

const intervalMs = 2_000;
const maxShown = 200;

export const events: Section = (place, session, signal) => {
  const list = element('div');
  place.append(list);
  poll(
    async () => {
      const items = await session.list(`/events?max=${maxShown}`);
      const rows = items.map((event) =>
        element(
          'tr',
          {},
          element('td', {}, String(event['time'] ?? '').slice(11, 19)),
          element('td', {}, renderState(String(event['severity'] ?? ''))),
          element('td', { class: 'wide' }, String(event['code'] ?? '')),
          element('td', { class: 'text' }, String(event['description'] ?? '')),
        ),
      );
      list.replaceChildren(table(['Time', 'Severity', ['Code', 'wide'], 'Description'], rows));
    },
    intervalMs,
    signal,
  );
};
