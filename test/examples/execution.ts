/** Execution of examples: in this process, or in a shell with a server or a separate home. */

/** Nouns whose commands write what they remember, or are about the whole service. */
const ofTheirOwn =
  /^vmctl (?:alias|auth|login|logout|whoami|context|config|serve|export|diff|doctor|history|undo|images serve)\b/;

/**
 * Pipes, redirections and variables need a shell; an image on the web needs a web server; the
 * address of a ticket is secret and changes.
 * Screens and sessions need a program on the path, the dashboard a terminal, and agent tools a
 * client of their protocol.
 */
const special =
  /[|<>$]|^(?!vmctl )|upload https:|\/TICKET|&\s*$|^vmctl (?:ui\b|mcp\b|conformance\b|vms (?:console \S+(?: --serial)?$|(?:ssh|scp) ))/;

/** Whether an example has to be run by a shell, with the built command on its path. */
export function needsShell(example: string): boolean {
  return ofTheirOwn.test(example) || special.test(example);
}

/** Replacements for parts of an example, with the reason. */
const replacements: readonly (readonly [part: string, by: string, reason: string])[] = [
  ['--interval 10s', '--interval 10ms', '10 s is too long for a test'],
  ['--size 10GiB --name root', '--size 10MiB --name root', 'to pack 10 GiB takes a minute'],
  ['--listen 127.0.0.1:8443', '--listen 127.0.0.1:0', 'the port may be in use'],
  [
    '--detach --env',
    '--detach --env --listen 127.0.0.1:0 --images-listen 127.0.0.1:0',
    'the ports may be in use',
  ],
  [
    '--listen 0.0.0.0:54322',
    '--listen 127.0.0.1:0',
    'the port may be in use, and the test must not be reachable',
  ],
  ['https://127.0.0.1:54322/', 'https://127.0.0.1:$PORT/', 'the example gets a free port'],
  ['file:///var/tmp/', 'file://$HOME/', 'tests must not write to system folders'],
  ['/run/user/1000/', '$HOME/', 'tests must not write to system folders'],
];

/** Returns an example with its replacements. */
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
