/** The dashboard's colours, one typeface, one column, light and dark; every text on it has a contrast of at least 4.5 to 1. */
export const stylesheet = `:root {
  color-scheme: light dark;
  --paper: #f8f9fb; --card: #ffffff; --ink: #14181f; --quiet: #4a5361; --line: #dfe3e9; --edge: #868f9c;
  --accent: #4338ca; --accent-ink: #ffffff; --alert: #fdeceb; --alert-ink: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0e1116; --card: #161b22; --ink: #eceff4; --quiet: #b2bac6; --line: #2a313c; --edge: #6d7785;
    --accent: #a5b4fc; --accent-ink: #12142b; --alert: #3a1614; --alert-ink: #ff8f87;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; padding: 2rem 1rem; background: var(--paper); color: var(--ink);
  font: .9375rem/1.5 ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main {
  max-width: 26rem; margin: 6vh auto 0; padding: 2rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 12px;
}
main.wide, main:has(article) { max-width: 44rem; }
.mark { margin: 0 0 1.5rem; font-weight: 700; letter-spacing: -.01em; font-size: 1rem; }
h1 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 .5rem; padding-top: 1.5rem; border-top: 1px solid var(--line); font-size: 1.05rem; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
label { display: block; margin: 1rem 0 .35rem; font-weight: 600; }
input:not([type=hidden]) {
  width: 100%; padding: .65rem .75rem; font: inherit; color: inherit; background: var(--paper);
  border: 1px solid var(--edge); border-radius: 8px;
}
button, .button {
  display: block; width: 100%; margin-top: 1.25rem; padding: .7rem 1rem; font: inherit; font-weight: 600;
  text-align: center; text-decoration: none; color: var(--accent-ink); background: var(--accent);
  border: 1px solid var(--accent); border-radius: 8px; cursor: pointer;
}
button.plain, .button.plain { color: var(--ink); background: transparent; border-color: var(--edge); }
button:hover, .button:hover { filter: brightness(1.08); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
.hint, .aside { color: var(--quiet); font-size: .9rem; }
.hint { margin: .35rem 0 0; }
.aside { margin: 1.5rem 0 0; }
.alert { margin: 0 0 1rem; padding: .75rem 1rem; color: var(--alert-ink); background: var(--alert); border-radius: 8px; }
ul { margin: 0 0 1rem; padding-left: 1.25rem; }
article { margin-top: 1rem; padding: 1rem 0 0; border-top: 1px solid var(--line); }
article h2 { margin: 0 0 .25rem; padding: 0; border: 0; }
article pre { margin: .5rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }
@media (max-width: 30rem) { body { padding: 1rem .75rem; } main { margin-top: 0; padding: 1.25rem; } }
`
