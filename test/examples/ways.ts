/** Which examples run in this process, and which need a shell, a server or a home of their own. */

/** Nouns whose commands write what they remember, or are about the whole service. */
const ofTheirOwn =
  /^vmctl (?:login|logout|whoami|context|config|serve|export|diff|doctor|history|undo|images serve)\b/;

/**
 * Pipes, redirections and variables need a shell; an image on the web a web server; the address of a
 * ticket is secret, and new each time; screens and sessions need a program that is found on the path, the
 * dashboard a terminal, tools for agents somebody who speaks their protocol.
 */
const special =
  /[|<>$]|^(?!vmctl )|upload https:|\/TICKET|&\s*$|^vmctl (?:ui\b|mcp\b|conformance\b|vms (?:console \S+(?: --serial)?$|ssh ))/;

/** Whether an example has to be run by a shell, with the built command on its path. */
export function needsShell(example: string): boolean {
  return ofTheirOwn.test(example) || special.test(example);
}

/** What is put in the place of a part of an example while it runs, and why. */
const replacements: readonly (readonly [part: string, by: string, reason: string])[] = [
  ['--interval 10s', '--interval 10ms', 'nobody wants to wait that long for a test'],
  ['--size 10GiB --name root', '--size 10MiB --name root', 'to pack 10 GiB takes a minute'],
  ['--listen 127.0.0.1:8443', '--listen 127.0.0.1:0', 'somebody else may use this port'],
  [
    '--detach --env',
    '--detach --env --listen 127.0.0.1:0 --images-listen 127.0.0.1:0',
    'somebody else may use these ports',
  ],
  ['--listen 0.0.0.0:54322', '--listen 127.0.0.1:0', 'the same, and nobody else is to come in'],
  ['https://127.0.0.1:54322/', 'https://127.0.0.1:$PORT/', 'there is another one then'],
  ['file:///var/tmp/', 'file://$HOME/', 'folders of the system are left alone'],
  ['/run/user/1000/', '$HOME/', 'folders of the system are left alone'],
];

/** An example as it is run. */
export function asRun(example: string): string {
  return replacements.reduce((line, [part, by]) => line.replace(part, by), example);
}

/** Whether it starts a server that runs until it is stopped. */
export function runsServer(example: string): boolean {
  return (
    /^vmctl (?:images )?serve /.test(example) &&
    !/ -- | --(?:save|backup|restore|stop)\b|^vmctl serve requests\b/.test(example)
  );
}
