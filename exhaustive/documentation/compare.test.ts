// What the pages show is compared with what commands print: words must agree, figures may differ.
import { expect, test } from 'bun:test'
import { blocksOf } from '../../test/support/documentation/blocks.ts'
import { jsonDifference, jsonIn, missingLines } from '../support/documentation/compare.ts'
import { commandsOf } from '../support/documentation/page-shell.ts'

test.each([
  [{ id: 'resp_1', model: 'a' }, { id: 'resp_2', model: 'a', more: 1 }, undefined],
  [{ model: 'a' }, { model: 'b' }, '$.model: "b"'],
  [{ text: 'He...' }, { text: 'Hello' }, undefined],
  [{ count: 1 }, { count: 2 }, undefined],
  [{ count: 1 }, { count: '2' }, '$.count: "2"'],
  [{ count: 1 }, { count: null }, '$.count: null'],
  [{ is: true }, { is: false }, '$.is: false'],
  [{ a: [{ b: 1 }, '...'] }, { a: [{ b: 2 }] }, undefined],
  [{ a: [{ b: 1 }] }, { a: [] }, '$.a.0 is missing'],
  [{ a: {} }, {}, '$.a is missing'],
  [{ a: [] }, { a: {} }, '$.a: {}'],
])('%j shown for %j: %p', (shown, real, difference) => {
  expect(jsonDifference(shown, real)).toBe(difference)
})

test.each([
  ['HTTP/1.1 200\na: b\n\n{"a":{"b":1}}', { a: { b: 1 } }],
  ['[1]\n', [1]],
  ['{"a":1}\nand more }', { a: 1 }],
  ['nothing', undefined],
])('the JSON in %j', (output, value) => {
  expect(jsonIn(output)).toEqual(value)
})

test('lines are found whatever their figures and spaces', () => {
  const output = 'account          balance\nada@example.com  25.5 USD\naudit: ok\n'
  expect(missingLines('account balance\nada@example.com 24 USD\n...\naudit: ok', output)).toEqual([])
  expect(missingLines('bob@example.com 24 USD\naudit: failed', output)).toEqual([
    'bob@example.com 24 USD',
    'audit: failed',
  ])
})

test('a block is split into its commands', () => {
  const code = [
    '# why',
    'curl a \\',
    "  -d '{",
    "}'",
    'cat <<END',
    'x',
    'END',
    'for a in 1 2; do',
    'echo $a',
    'done',
  ].join('\n')
  expect(commandsOf(code)).toEqual([
    '# why\n',
    "curl a \\\n  -d '{\n}'\n",
    'cat <<END\nx\nEND\n',
    'for a in 1 2; do\necho $a\ndone\n',
  ])
})

test('blocks have their language, their line, and the mark above them', () => {
  const page =
    '# A\n\n```sh\ncurl a\n```\n\n```json\n{}\n```\n\nText.\n\n<!-- not run: needs Docker -->\n```sh\ndocker\n```\n\n- x\n\n  ```ts\n  a\n  ```\n'
  expect(blocksOf('a.md', page)).toMatchObject([
    { language: 'sh', line: 3, code: 'curl a', mark: undefined, isBelow: false },
    { language: 'json', line: 7, code: '{}', isBelow: true },
    { language: 'sh', line: 14, code: 'docker', mark: { notRun: 'needs Docker' }, isBelow: false },
    { language: 'ts', code: 'a', isBelow: false },
  ])
})
