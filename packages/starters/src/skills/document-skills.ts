import type { Skill } from './skill.ts'

export const documentSkills: readonly Skill[] = [
  {
    name: 'document-to-markdown',
    description: 'Turn a PDF, Word, Excel, PowerPoint or HTML file into Markdown to read or quote from it',
    body: `
# Document to Markdown

1. Look at the file first: \`file <name>\` and its size. Keep the original; write the result beside it as \`<name>.md\`.
2. Convert with what is installed, in this order: \`pandoc -t gfm\` (docx, html, odt, epub), \`pdftotext -layout\` (pdf),
   \`python3 -m markitdown\` (many kinds; install it with pip when the network allows).
3. A PDF without text is a picture of pages: say so, and use \`pdftoppm -r 150 -png\` with \`tesseract\` when present.
4. Check the result: headings are headings, tables have all their columns, nothing is cut at a page's end. Compare the
   number of headings and tables with the original.
5. When quoting, give the page or section.
`,
  },
  {
    name: 'docx',
    description: 'Write or change Word documents',
    body: `
# Word documents

- New: write Markdown and convert with \`pandoc -o out.docx in.md\`. For a house style, \`--reference-doc=style.docx\`.
- Existing: use python-docx and change runs, not whole paragraphs, so that formatting stays. Copy the style of the
  neighbouring paragraph for what you add.
- Tracked changes and comments live in the XML (\`unzip -p file.docx word/document.xml\`). Do not remove any you did not make.
- Check by converting back: \`pandoc -t plain out.docx\` and reading it whole. Where LibreOffice is present, render a PDF and
  look at the pages.
- Dates, amounts and names come from the source, never from memory.
`,
  },
  {
    name: 'xlsx',
    description: 'Read, write and check spreadsheets',
    body: `
# Spreadsheets

- Read with openpyxl (\`data_only=True\` for values, without it for formulas) or pandas for large tables.
- Write formulas, not results: the reader must be able to change an input. Put inputs on a sheet of their own, one per
  row with a label and a unit.
- One table per sheet, headers in row 1, no merged cells in data, real dates and numbers in place of text.
- Freeze the header row, set column widths and number formats.
- Check: recalculate with LibreOffice (\`soffice --headless --convert-to xlsx\`) and search for \`#REF!\`, \`#NAME?\`,
  \`#DIV/0!\`. Add up one column by another way and compare.
`,
  },
  {
    name: 'pdf',
    description: 'Read, make, join, split and fill PDF files',
    body: `
# PDF

| To | Use |
|---|---|
| read text | \`pdftotext -layout in.pdf -\` |
| see pages | \`pdftoppm -r 100 -png in.pdf page\` |
| join or split | \`qpdf --empty --pages a.pdf b.pdf -- out.pdf\`, \`qpdf in.pdf --pages . 1-3 -- out.pdf\` |
| make from Markdown or HTML | \`pandoc\` with an HTML engine, or Chromium \`--headless --print-to-pdf\` |
| fill a form | pypdf: list the fields first, fill by name, keep the appearance |

After making one, look at the pages as pictures: cut lines, missing fonts and empty pages show only there.
`,
  },
  {
    name: 'presentations',
    description: 'Make slide decks that can be presented and edited',
    body: `
# Presentations

1. Write the story first: one sentence per slide, in order. If a sentence needs "and", it is two slides.
2. The title of a slide is that sentence. The body is the evidence: one picture, one table, or at most four short lines.
3. Build with python-pptx from a template when there is one; place everything on its layout's placeholders.
4. Numbers carry their source in small print. Speaker notes hold what is said and not shown.
5. Render to pictures (LibreOffice to PDF, then \`pdftoppm\`) and look at every slide: overlaps, text out of its box, more
   than three sizes of type.
`,
  },
]
