/** The page of the inspector: sign-in, then its sections as tabs. */
import { element, field } from './dom.ts';
import { events } from './events.ts';
import { faults } from './faults.ts';
import { objects } from './objects.ts';
import { requests } from './requests.ts';
import { type Section, say } from './section.ts';
import { Session } from './session.ts';
import { site } from './site.ts';

const sections: readonly (readonly [id: string, title: string, section: Section])[] = [
  ['site', 'Site', site],
  ['requests', 'Requests', requests],
  ['events', 'Events', events],
  ['objects', 'Objects', objects],
  ['faults', 'Faults', faults],
];

const main = part('main');
const tabs = part('tabs');
const who = part('who');
let leaving = new AbortController();

function part(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no ${id}.`);
  return found;
}

/** Empties the page; what the section before does in the background ends. */
function cleared(): AbortSignal {
  leaving.abort();
  leaving = new AbortController();
  main.replaceChildren();
  say('');
  return leaving.signal;
}

function signIn(): void {
  cleared();
  tabs.hidden = true;
  who.replaceChildren();
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
          Session.signIn(name.value, password.value).then(signedIn, (error: Error) => {
            password.value = '';
            password.focus();
            say(error.message);
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

function signedIn(session: Session): void {
  const leave = () => {
    void session.signOut();
    signIn();
  };
  who.replaceChildren(
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
        onclick: () => go(id),
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
    section(main, session, cleared());
  };
  window.onhashchange = show;
  show();
}

function go(id: string): void {
  location.hash = id;
}

const remembered = Session.remembered();
if (remembered) {
  // It may have ended meanwhile: then somebody has to sign in again.
  remembered.json('/_vmctl/ready').then(
    () => signedIn(remembered),
    () => signIn(),
  );
} else signIn();
