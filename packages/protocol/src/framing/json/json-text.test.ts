import { expect, test } from 'bun:test'
import { jsonText } from './json-text.ts'

const EACH_CHARACTER = Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code))

test.each([
  '',
  'gpt-5.1',
  'a "b"',
  'back\\slash',
  'line\nend',
  'ü€',
  '\u2028',
  '😀',
  '\ud800',
  ...EACH_CHARACTER,
])('a text is the JSON that JSON.stringify makes of it: %j', (text) =>
  expect(jsonText(text)).toBe(JSON.stringify(text)))
