/** `vmctl conformance`: what a service does, beside what the specification says. */
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';

export default noun({
  name: 'conformance',
  doc: 'Find out where a service differs from the specification',
  position: 152,
  more: true,
  commands: [
    command({
      arguments: [argument('[url]', 'the service; by default that of the context')],
      flags: [
        flag('--changes', 'also make, change and remove objects, in a data center of its own'),
        flag('--differences', 'show only what differs'),
        flag('--html <file>', 'also write a page with all of it; - is stdout'),
      ],
      notes:
        'Operations are in the rows of the specification: 1 to 210, G1 to G35, and those beyond it. ' +
        'Without --changes it only reads. What a service has no object for is not tried, and neither ' +
        'is what needs hosts and storage. It ends with 11 where something differs.',
      examples: [
        'vmctl conformance',
        'vmctl conformance https://engine.example.com --username admin@internal --differences',
        'vmctl conformance --changes -o json',
        'vmctl conformance --html report.html -q',
      ],
      exits: [11],
      unshowable: 'many',
      prints: (_, { html }) => (html === '-' ? 'text' : 'objects'),
      run: async (cli, [url], flags) => {
        const { checkConformance } = await import('./conformance/run.ts');
        await checkConformance(cli, url, flags);
      },
    }),
  ],
});
