// What a route reads of its query, and what a response may carry.
import { describe, expect, test } from 'bun:test'
import { listKeys } from '../console-api/pages/keys.ts'
import { readQuery } from '../console-api/route.ts'
import { always, either, fields, listOf, mapOf, nullable, number, optional, unknown } from '../request/schema/schema.ts'
import { pickerOf } from './pick-output.ts'

describe('a query', () => {
  const read = (written: string) => readQuery(listKeys, new URLSearchParams(written))

  test.each([
    ['', {}],
    ['state=active&before=7', { state: 'active', before: '7' }],
    ['state=active&state=maybe&other=1', { state: 'active' }],
  ])('%p: the parameters that are known, the first of each', (written, expected) => {
    expect<unknown>(read(written)).toEqual(expected)
  })

  test.each([
    ['state=maybe', 'state must be one of active, expired, deleted.'],
    ['state=', 'state must be one of active, expired, deleted.'],
    ['before=x', 'before must be the id of a key.'],
  ])('%p is rejected', (written, message) => {
    expect(() => read(written)).toThrow(message)
  })
})

describe('a response has the fields of its schema alone', () => {
  const nested = fields({
    a: number(),
    list: listOf(fields({ b: number() })),
    inner: fields({ c: number() }),
    any: mapOf(unknown()),
    absent: optional(number()),
    none: nullable(fields({ x: number() })),
  })
  const shown = { a: 1, list: [{ b: 2 }], inner: { c: 3 }, any: { z: [1] }, none: null }
  const eitherOf = either(fields({ ok: always(true) }), fields({ ok: always(false), why: number() }))
  test.each<[string, Parameters<typeof pickerOf>[0], unknown, unknown]>([
    ['nested', nested, { ...shown, list: [{ b: 2, secret: 1 }], inner: { c: 3, secret: 1 }, secret: 1 }, shown],
    ['a list', listOf(fields({ b: number() })), [{ b: 1, secret: 2 }], [{ b: 1 }]],
    ['the first of two', eitherOf, { ok: true, secret: 1 }, { ok: true }],
    ['the second of two', eitherOf, { ok: false, why: 1, secret: 1 }, { ok: false, why: 1 }],
    ['one that is there', nullable(fields({ x: number() })), { x: 1, secret: 1 }, { x: 1 }],
  ])('%s', (_, schema, value, expected) => {
    expect(pickerOf(schema)(value)).toEqual(expected)
  })
})
