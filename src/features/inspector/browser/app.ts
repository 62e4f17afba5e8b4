/** Main page of the inspector: sign-in, then its sections as tabs. */
import { element, field, requireInstance } from './dom.ts';
import { events } from './events.ts';
import { faults } from './faults.ts';
import { LoadSampler } from './load-sampler.ts';
import { objects } from './objects.ts';
import { requests } from './requests.ts';
import { type Section, showStatus } from './section.ts';
import { Session } from './session.ts';
import { createSite } from './site.ts';

type NamedSection = readonly [id: string, title: string, section: Section];

const listSections = (sampler: LoadSampler): readonly NamedSection[] => [
  ['site', 'Site', createSite(sampler)],
  ['requests', 'Requests', requests],
  ['events', 'Events', events],
  ['objects', 'Objects', objects],
  ['faults', 'Faults', faults],
];

const main = requirePart('main');
const tabs = requirePart('tabs');
const user = requirePart('who');
let sectionAbort = new AbortController();

function requirePart(id: string): HTMLElement {
  return requireInstance(document.getElementById(id), HTMLElement);
}

/** Clears the page and stops the polling of the previous section. */
function clearPage(): AbortSignal {
  sectionAbort.abort();
  sectionAbort = new AbortController();
  main.replaceChildren();
  showStatus('');
  return sectionAbort.signal;
}

function showSignIn(): void {
  clearPage();
  tabs.hidden = true;
  user.replaceChildren();
  const name = element('input', { name: 'username', autocomplete: 'username', required: true });
  name.value = 'admin@internal';
  const password = element('input', {
    type: 'password',
    name: 'password',
    autocomplete: 'current-password',
    required: true,
  });
  main.append(
    element(
      'form',
      {
        class: 'sign-in',
        onsubmit: (event) => {
          event.preventDefault();
          Session.signIn(name.value, password.value).then(openSession, (error: Error) => {
            password.value = '';
            password.focus();
            showStatus(error.message);
          });
        },
      },
      element('h2', {}, 'Sign in'),
      field('User', name),
      field('Password', password),
      element('button', {}, 'Sign in'),
    ),
  );
  password.focus();
}

function openSession(session: Session): void {
  const sampling = new AbortController();
  const sampler = new LoadSampler();
  void sampler.run(session, sampling.signal);
  const sections = listSections(sampler);
  const leave = () => {
    sampling.abort();
    void session.signOut();
    showSignIn();
  };
  user.replaceChildren(
    `${session.username} `,
    element('button', { type: 'button', onclick: leave }, 'Sign out'),
  );
  const buttons = sections.map(([id, title]) =>
    element(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `tab-${id}`,
        'aria-controls': 'main',
        onclick: () => openSection(id),
      },
      title,
    ),
  );
  tabs.replaceChildren(...buttons);
  tabs.hidden = false;
  tabs.onkeydown = ({ key }) => {
    const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
    const at = buttons.findIndex((button) => button.matches(':focus'));
    if (step !== 0) buttons[(at + step + buttons.length) % buttons.length]?.focus();
  };
  const show = () => {
    const wanted = sections.find(([id]) => `#${id}` === location.hash) ?? sections[0];
    if (!wanted) return;
    const [id, title, section] = wanted;
    for (const button of buttons) {
      const isShown = button.id === `tab-${id}`;
      button.setAttribute('aria-selected', String(isShown));
      button.tabIndex = isShown ? 0 : -1;
    }
    document.title = `${title} - vmctl serve`;
    section(main, session, clearPage());
  };
  window.onhashchange = show;
  show();
}

function openSection(id: string): void {
  location.hash = id;
}

const stored = Session.restore();
if (stored) {
  // The session may have expired; then the user signs in again.
  stored.json('/_vmctl/ready').then(
    () => openSession(stored),
    () => showSignIn(),
  );
} else showSignIn();
