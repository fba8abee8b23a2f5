import { expect, test } from 'bun:test'
import { RequestError } from './reading.ts'
import type { Source } from './request.ts'
import { mimeOfName, sourceOf } from './source.ts'

const PNG = 'iVBORw0KGgo='

test.each<[text: string, source: Source]>([
  ['https://a.example/a.png', { kind: 'url', url: 'https://a.example/a.png' }],
  ['gs://bucket/a.png', { kind: 'url', url: 'gs://bucket/a.png' }],
  [`data:image/webp;base64,${PNG}`, { kind: 'inline', mime: 'image/webp', data: PNG }],
  [`data:;base64,${PNG}`, { kind: 'inline', mime: 'image/png', data: PNG }],
  [PNG, { kind: 'inline', mime: 'image/png', data: PNG }],
  ['-_-_', { kind: 'inline', mime: 'usual/type', data: '+/+/' }],
  ['data:text/plain;charset=utf-8,H%C3%B6he%2C', { kind: 'text', mime: 'text/plain', text: 'Höhe,' }],
])('%s', (text, source) => {
  expect(sourceOf(text, 'x', 'usual/type')).toEqual(source)
})

test.each([
  ['data:image/svg+xml,<svg/>', 'x must have its data in base64: data:TYPE;base64,...'],
  ['data:text/plain,%ff', 'x must have its data in base64: data:TYPE;base64,...'],
  ['not base64!', 'x must be an http(s) URL, a data URL or base64'],
  ['abcd', 'x must say its type: data:TYPE;base64,...'],
])('%s is an error', (text, message) => {
  expect(() => sourceOf(text, 'x', undefined)).toThrow(new RequestError('bad_request', 'x', message))
})

test('names', () => {
  expect(['a.b.PDF', 'notes.md', 'noending', undefined].map(mimeOfName)).toEqual([
    'application/pdf',
    'text/markdown',
    undefined,
    undefined,
  ])
})
