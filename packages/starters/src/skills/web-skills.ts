import type { Skill } from './skill.ts'

export const webSkills: readonly Skill[] = [
  {
    name: 'browser-automation',
    description: 'Open pages in a real browser to read, test or fill them',
    body: `
# Browser automation

- Use Playwright with the installed Chromium: \`npx playwright --version\`, else \`playwright-core\` with
  \`executablePath\`. Headless.
- Find things as a person does: by role and name, by label, by text. A selector of class names breaks with the next release.
- Wait for what you need (\`expect(locator).toBeVisible()\`), never for a number of seconds.
- Save a screenshot at each step of a longer task and look at it before you go on.
- Stop and ask before anything that pays, sends, deletes or accepts terms. Never type a secret that was not given for that
  very site.
- Close the browser at the end, on failure too.
`,
  },
  {
    name: 'design-basics',
    description: 'Make pages and documents that look right - space, type, colour, contrast',
    body: `
# Design basics

- Space: one unit (8 px) and its multiples everywhere. More space around groups than inside them.
- Type: one family, two weights, four sizes. Lines of 45 to 80 characters. Left aligned.
- Colour: one accent, used for what can be done. Grey for the rest. Never colour alone to tell things apart.
- Contrast: at least 4.5 to 1 for text, 3 to 1 for large text and controls.
- Order: what matters most is largest, highest or alone. Read the page with half-closed eyes; what you see first must be that.
- Every state: empty, loading, failed, one item, a thousand items, a very long name.
- Copy the style that is there before you invent one.
`,
  },
  {
    name: 'web-apps',
    description: 'Build small web applications with a server and a data store',
    body: `
# Web applications

1. Begin with the smallest path that works end to end: one page, one request, one row. Then widen it.
2. Use what the repository uses already. Without any: TypeScript, one server process, SQLite, server-rendered pages.
3. Check input where it comes in; escape where it goes out. Parameters in queries, never joined strings.
4. Secrets come from the environment and their names stand in \`svc.yaml\` under \`env\`.
5. Listen on the port in \`PORT\`. Answer \`/health\`.
6. Write a test per promise and run them before you open a change request.
7. Try it in a browser: the happy path, a wrong input, a slow network, a narrow screen.
`,
  },
  {
    name: 'websites',
    description: 'Build static websites that are fast, accessible and easy to edit',
    body: `
# Websites

- Plain HTML and CSS until there is a reason for more. Content in Markdown files when people other than you will edit it.
- One \`h1\` a page, headings in order, real links and buttons, labels on fields, text for pictures that mean something.
- Set width and height on pictures, serve them in the size they are shown, load what is below the fold late.
- Title, description and language on every page; a 404 page; a sitemap when there are more than ten pages.
- Look at it at 360, 768 and 1280 pixels and with the keyboard alone.
- Check every link before you call it done.
`,
  },
  {
    name: 'publishing',
    description: 'Publish apps, sites and documents from this project, and take them back',
    body: `
# Publishing

1. Declare what you publish under \`apps\` in \`svc.yaml\`; run \`svc validate\`.
2. Build it in the session and look at the result through a preview before anybody else does.
3. Open a change request. Publishing follows a merge, not a session.
4. After publishing open the public address yourself: the right version, no secret in the page source, links work.
5. Write down in \`.svc/memory/MEMORY.md\` where it is and how to take it back. Undoing is reverting the merge.

Ask a person before you publish anything for the first time, and before anything that cannot be undone.
`,
  },
]
