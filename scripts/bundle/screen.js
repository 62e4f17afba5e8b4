// Replaces unused library parts of the dashboard.

/** Library files for unused features, and their replacements. */
const standIns = [
  // Connection to developer tools.
  [/[\\/]ink[\\/]build[\\/]devtools\.js$/, 'export {};'],
  // The command has already checked for a terminal, so ignore CI variables.
  [/[\\/]is-in-ci[\\/]index\.js$/, 'export default false;'],
];

export const screen = {
  name: 'screen',
  load(id) {
    const found = standIns.find(([file]) => file.test(id));
    return found ? { code: found[1], moduleType: 'js' } : null;
  },
};
