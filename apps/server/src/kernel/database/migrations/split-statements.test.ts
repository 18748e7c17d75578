import { expect, test } from 'vitest'
import { splitStatements } from './split-statements.ts'

test('a semicolon inside quotes, names, dollar quotes and comments ends nothing', () => {
  const source = `-- first; comment
select ';', "a;b", 'it''s;';

/* a ; b */ create function f() returns text language sql as $body$ select ';'; $body$;
select $$;$$ -- tail;
;
`
  expect(splitStatements(source)).toEqual([
    { text: `select ';', "a;b", 'it''s;'`, line: 2 },
    { text: "create function f() returns text language sql as $body$ select ';'; $body$", line: 4 },
    { text: 'select $$;$$ -- tail;', line: 5 },
  ])
})

test('a file of comments and blank lines has no statements', () => {
  expect(splitStatements('-- nothing\n\n;;\n/* here */')).toEqual([])
})
