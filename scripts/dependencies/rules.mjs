/**
 * Who may import whom. Dependencies point downward only; anything not allowed here is refused, and a workspace
 * without a row is refused too, so that a new one has to state its place.
 *
 * @typedef {object} WorkspaceRule
 * @property {string} folder
 * @property {string[]} mayImport folders of workspaces it may import
 * @property {string[]} [typesOnly] folders of workspaces it may import with `import type` alone
 * @property {string[]} [typesOnlyExcept] module names of those that may be imported at run time all the same
 * @property {boolean} [noNodeBuiltins] true for what must run in a browser
 * @property {string[]} [nodeBuiltinsIn] folders inside src where Node built-ins are allowed nevertheless
 */

/** @type {WorkspaceRule[]} */
export const workspaceRules = [
  { folder: 'packages/manifest', mayImport: [], noNodeBuiltins: true },
  { folder: 'packages/contract', mayImport: ['packages/manifest'] },
  {
    folder: 'packages/sdk',
    mayImport: [],
    // A schema library must not reach the browser: of the contract only types, and the generated table of calls.
    typesOnly: ['packages/contract'],
    typesOnlyExcept: ['@svc/contract/client-table'],
    noNodeBuiltins: true,
    nodeBuiltinsIn: ['server/'],
  },
  { folder: 'packages/starters', mayImport: ['packages/manifest'], noNodeBuiltins: true },
  { folder: 'packages/cli', mayImport: ['packages/sdk', 'packages/manifest'] },
  // Of the daemon the server needs to know one thing: the folder with its build.
  {
    folder: 'apps/server',
    mayImport: ['packages/contract', 'packages/manifest', 'packages/starters', 'apps/sandboxd'],
  },
  { folder: 'apps/sandboxd', mayImport: [] },
  { folder: 'apps/web', mayImport: ['packages/sdk', 'packages/manifest'] },
]

/** Inside apps/server/src: the kernel stands on itself, a capability on the kernel and on other capabilities' doors. */
export const serverLayers = {
  folder: 'apps/server',
  /** The one folder everything may import, which itself imports nothing of the others. */
  kernel: 'kernel',
  /** The only file of a capability that another capability may import. */
  door: 'index.ts',
  /** Files directly in src that put everything together and may import everything. */
  composition: /^(main|platform)\.ts$/,
}

/** SQL stays where one looks for it. */
export const sqlRule = {
  folder: 'apps/server',
  modules: ['drizzle-orm', 'postgres', 'pg'],
  /** Tagged templates of this name are SQL, wherever the tag was imported from. */
  tag: 'sql',
  allowedIn: [/^kernel\//, /(^|\/)store\/[\w-]+\.ts$/, /(^|\/)store\.ts$/, /(^|\/)schema\.ts$/],
}

/** Programs around the workspaces. Those that may import everything may also do so by path; nothing imports them. */
export const outerFolders = [
  { folder: 'tests', mayImport: 'everything' },
  { folder: 'bench', mayImport: 'everything' },
  { folder: 'examples', mayImport: ['packages/sdk', 'packages/manifest'] },
]

/** Tests may use Node, SQL, another capability's inside, and at run time what their package imports as types. */
export const testFile = /\.(test|test-d)\.tsx?$|(^|\/)testing\//

/**
 * What the tests of every workspace may reach by path: the support they share (the platform on a test database, people
 * to sign in), and the examples, which they run.
 */
export const reachedByTests = ['tests/support/', 'examples/']
