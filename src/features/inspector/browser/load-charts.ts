/** Charts of CPU and memory of each host over time. */
import { chartSize, describeChart, formatPeriod, layOutLines } from './chart-geometry.ts';
import { element, formatBytes, renderState } from './dom.ts';
import type { HostLoad, Load, Sample } from './host-load.ts';
import { intervalMs, type LoadSampler, periodMs } from './load-sampler.ts';

const measures: readonly (readonly [measure: keyof Load, title: string])[] = [
  ['cpu', 'CPU'],
  ['memory', 'memory'],
];

/** Renders the charts now and after each sample, until the signal aborts. */
export function renderLoads(sampler: LoadSampler, signal: AbortSignal): HTMLElement {
  const note = element('p', {});
  const error = element('p', { class: 'bad', role: 'status' });
  const cards = element('div', { class: 'cards' });
  const draw = () => {
    const { hosts = [], history } = sampler;
    const now = Date.now();
    note.textContent = describePeriod(history.since);
    const message = sampler.error === undefined ? '' : `no sample: ${sampler.error}`;
    if (error.textContent !== message) error.textContent = message;
    cards.replaceChildren(...hosts.map((host) => renderCard(host, history.list(host.id), now)));
  };
  sampler.addEventListener('sample', draw, { signal });
  draw();
  const legend = measures.map(([measure, title]) =>
    element('span', {}, element('span', { class: `swatch ${measure}` }), title),
  );
  return element('div', {}, note, element('p', { class: 'legend' }, ...legend), error, cards);
}

function describePeriod(since: number | undefined): string {
  const first = since === undefined ? '' : `, since ${new Date(since).toLocaleTimeString()}`;
  const interval = formatPeriod(intervalMs);
  return `Last ${formatPeriod(periodMs)}; one sample every ${interval} while this page is open${first}`;
}

function renderCard(host: HostLoad, samples: readonly Sample[], now: number): HTMLElement {
  const { name, status, usedBytes, totalBytes } = host;
  const values = measures.map(([measure, title]) => `${title} ${formatPercent(host[measure])}`);
  const bytes =
    usedBytes === undefined || totalBytes === undefined
      ? ''
      : ` (${formatBytes(usedBytes)} of ${formatBytes(totalBytes)})`;
  return element(
    'section',
    { class: 'card' },
    element('h3', {}, `${name} `, renderState(status)),
    element(
      'div',
      { class: 'chart' },
      element(
        'div',
        { class: 'scale', 'aria-hidden': 'true' },
        element('span', {}, '100'),
        element('span', {}, '0'),
      ),
      renderChart(samples, describeChart(name, samples, now), now),
      element(
        'div',
        { class: 'axis', 'aria-hidden': 'true' },
        element('span', {}, `${formatPeriod(periodMs)} ago`),
        element('span', {}, 'now'),
      ),
    ),
    element('div', {}, `${values.join(', ')}${bytes}`),
  );
}

function formatPercent(value: number | undefined): string {
  return value === undefined ? 'no data' : `${value.toFixed(0)} %`;
}

function renderChart(samples: readonly Sample[], label: string, now: number): SVGSVGElement {
  const { width, height } = chartSize;
  const axis = { now, periodMs, maxGapMs: 3 * intervalMs };
  const chart = createSvg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': label,
  });
  const grid = [0, height / 2, height].map((y) =>
    createSvg('line', { x1: 0, x2: width, y1: y, y2: y }),
  );
  const lines = measures.flatMap(([measure]) =>
    layOutLines(samples, measure, axis).map((points) =>
      createSvg('polyline', { class: measure, points }),
    ),
  );
  chart.append(...grid, ...lines);
  return chart;
}

function createSvg<N extends keyof SVGElementTagNameMap>(
  name: N,
  attributes: Readonly<Record<string, string | number>>,
): SVGElementTagNameMap[N] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
