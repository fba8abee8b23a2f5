// Which texts are nested too deep to be written again.
import { expect, test } from 'bun:test'
import { isNestedTooDeep } from './json-depth.ts'
import { MAX_DEPTH } from './json-skip.ts'

const lists = (depth: number, inside = '1') => '['.repeat(depth) + inside + ']'.repeat(depth)
const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

test.each<[string, string, boolean]>([
  ['lists at the limit', lists(MAX_DEPTH), false],
  ['lists beyond it', lists(MAX_DEPTH + 1), true],
  ['objects at the limit', objects(MAX_DEPTH), false],
  ['objects beyond it', objects(MAX_DEPTH + 1), true],
  ['many values beside each other', `[${Array(2_000).fill('[1]').join()}]`, false],
  ['brackets in a string', `["${'['.repeat(5_000)}"]`, false],
  ['brackets behind an escaped quote', `["\\"${'['.repeat(5_000)}"]`, false],
  ['brackets behind a string that ends in a backslash', `["\\\\",${lists(MAX_DEPTH)}]`, true],
  ['a string without an end', `["${'['.repeat(5_000)}`, false],
])('%s', (_, text, isTooDeep) => {
  expect(isNestedTooDeep(text)).toBe(isTooDeep)
})
