import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Json } from '../../../canonical/reading.ts'
import { openShapes } from './delta-shape.ts'

const event = (content: string, more: object = {}) =>
  JSON.stringify({ id: 'a', model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: null }], ...more })

/** Texts that look like what stands around them. */
const text = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.constantFrom('"', '\\', '"}', '},"obfuscation":"x', '"obfuscation":"', '\\"', '"},"finish_reason":null}]}'),
)

describe.each([
  ['plain', () => ({})],
  ['padded', (padding: string) => ({ usage: null, obfuscation: padding })],
  ['padded in the middle', (padding: string) => ({ obfuscation: padding, usage: null })],
])('%s', (_, more: (padding: string) => object) => {
  const learned = () => {
    const shapes = openShapes()
    const first = event('first', more('abc'))
    shapes.learn(first, JSON.parse(first) as Json)
    return shapes
  }

  test('events of a known shape are read without being parsed', () => {
    const shapes = learned()
    expect(shapes.read(event('second', more('zz')))).toBe(true)
    expect(shapes.found).toEqual({ kind: 'text', choice: 0, text: 'second' })
  })

  test('what is read is what stands there, whatever the text looks like', () => {
    const shapes = learned()
    fc.assert(
      fc.property(text, text, fc.stringMatching(/^[a-zA-Z0-9]{0,8}$/), (before, after, padding) => {
        const content = before + after
        if (shapes.read(event(content, more(padding)))) expect(shapes.found.text).toBe(content)
      }),
    )
  })

  test.each([
    ['a finish reason', { choices: [{ index: 0, delta: { content: 'x' }, finish_reason: 'stop' }] }],
    ['another choice', { choices: [{ index: 1, delta: { content: 'x' }, finish_reason: null }] }],
    ['usage', { usage: { prompt_tokens: 1 } }],
    ['a field that was not there', { error: { message: 'x' } }],
    ['padding that is no plain text', { obfuscation: 'a"b' }],
  ])('has to be parsed: %s', (_what, other) => {
    expect(learned().read(event('x', { ...more('abc'), ...other }))).toBe(false)
  })
})
