/**
 * @typedef {object} SystemPackage
 * @property {string} name what Debian calls it
 * @property {string} command how we know that it is there
 * @property {string} neededBy the part that cannot work without it
 * @property {('start' | 'test')[]} for the commands that install it
 * @property {boolean} active false until the part that needs it is in this repository
 */

/**
 * What we use of the operating system beyond Node and git. Turn a row active together with the code that needs it.
 *
 * @type {SystemPackage[]}
 */
export const systemPackages = [
  { name: 'bubblewrap', command: 'bwrap', neededBy: 'sandboxes', for: ['start', 'test'], active: true },
  { name: 'openssh-client', command: 'ssh', neededBy: 'repositories over ssh', for: ['start', 'test'], active: true },
  { name: 'openssh-server', command: 'sshd', neededBy: 'tests with an ssh host', for: ['test'], active: true },
  { name: 'chromium', command: 'chromium', neededBy: 'browser tests', for: ['test'], active: true },
  { name: 'podman', command: 'podman', neededBy: 'container sandbox tests', for: ['test'], active: true },
  { name: 'runc', command: 'runc', neededBy: 'container sandbox tests', for: ['test'], active: true },
  { name: 'catatonit', command: 'catatonit', neededBy: 'container sandbox tests', for: ['test'], active: true },
]
