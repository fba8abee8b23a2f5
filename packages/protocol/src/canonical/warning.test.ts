// Warnings repeat names that a caller or an upstream chose, so each is bounded, and so is their number.
import { expect, test } from 'bun:test'
import { addWarning, HEADER_BYTES, MOST_WARNINGS, warningHeader } from './warning.ts'

const added = (...names: string[]): string[] => {
  const warnings: string[] = []
  for (const name of names) addWarning(warnings, name, 'dropped')
  return warnings
}
const bytes = (text: string): number => Buffer.byteLength(text)

test.each([
  ['a short name', 'seed', 'seed;dropped'],
  ['200 bytes', 'x'.repeat(200), `${'x'.repeat(200)};dropped`],
  ['201 bytes', 'x'.repeat(201), `${'x'.repeat(197)}...;dropped`],
  ['a megabyte', 'x'.repeat(1_000_000), `${'x'.repeat(197)}...;dropped`],
  ['two-byte characters', 'é'.repeat(150), `${'é'.repeat(98)}...;dropped`],
  ['pairs of surrogates are not cut in half', '🙂'.repeat(60), `${'🙂'.repeat(49)}...;dropped`],
])('the name in a warning is at most 200 bytes: %s', (_, name, expected) => {
  const [warning = ''] = added(name)
  expect(warning).toBe(expected)
  expect(bytes(warning)).toBeLessThanOrEqual(200 + ';dropped'.length)
})

test('each warning once, and no more than a fixed number, with a mark where some are left out', () => {
  expect(added('seed', 'stop', 'seed')).toEqual(['seed;dropped', 'stop;dropped'])
  const many = added(...Array.from({ length: 1_000 }, (_, index) => `field_${index}`))
  expect(many).toHaveLength(MOST_WARNINGS + 1)
  expect(many.at(-1)).toBe('warnings;cut')
})

test('the header has as many as fit, and says when it lacks some', () => {
  expect(warningHeader(['seed;dropped', 'stop;dropped'])).toBe('seed;dropped, stop;dropped')
  expect(warningHeader(['a,b\nc;dropped'])).toBe('a_b_c;dropped')
  const long = warningHeader(added(...['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => letter.repeat(300))))
  expect(long.length).toBeLessThanOrEqual(HEADER_BYTES)
  expect(long.split(', ')).toHaveLength(5)
  expect(long).toEndWith(', warnings;cut')
})
