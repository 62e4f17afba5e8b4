// Keeps out of the bundle of the full screen what it never uses of its libraries.

/** Files of libraries for features that are not used, and what stands in for them. */
const standIns = [
  // A connection to the tools of developers.
  [/[\\/]ink[\\/]build[\\/]devtools\.js$/, 'export {};'],
  // Somebody sits in front of the screen, whatever the environment says: the command has looked.
  [/[\\/]is-in-ci[\\/]index\.js$/, 'export default false;'],
];

export const screen = {
  name: 'screen',
  load(id) {
    const found = standIns.find(([file]) => file.test(id));
    return found ? { code: found[1], moduleType: 'js' } : null;
  },
};
