import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bytesOf, bufferCodec as codec, textOf } from '../../../fixtures/buffer-codec.ts'
import { MAX_DEPTH, MEMBER_NOTE, scanObject } from './json-scan.ts'

const scan = (text: string) => scanObject(bytesOf(text), codec)

describe('fields', () => {
  test('names, kinds, counts and exact ranges, whatever the white space', () => {
    const text =
      ' {\r\n"a" : "x" ,\t"b":-1.5e+3,"c":[1,[2,3],{"d":[4,5]}],"e":{"f":1,"g":{}},"h":true,"i":false,"j":null,"k":[ ],"l":{ } } \n'
    const bytes = bytesOf(text)
    const result = scanObject(bytes, codec)
    if (!result.ok) throw new Error(result.message)
    expect(
      result.fields.map(({ name, kind, count, keyStart, keyEnd, start, end }) => [
        name,
        kind,
        count,
        textOf(bytes.subarray(keyStart, keyEnd)),
        textOf(bytes.subarray(start, end)),
      ]),
    ).toEqual([
      ['a', 'string', 0, '"a"', '"x"'],
      ['b', 'number', 0, '"b"', '-1.5e+3'],
      ['c', 'array', 3, '"c"', '[1,[2,3],{"d":[4,5]}]'],
      ['e', 'object', 2, '"e"', '{"f":1,"g":{}}'],
      ['h', 'true', 0, '"h"', 'true'],
      ['i', 'false', 0, '"i"', 'false'],
      ['j', 'null', 0, '"j"', 'null'],
      ['k', 'array', 0, '"k"', '[ ]'],
      ['l', 'object', 0, '"l"', '{ }'],
    ])
    expect(text[result.close]).toBe('}')
  })

  test('a name written with escapes is the same name', () => {
    const result = scan('{"mod\\u0065l":1}')
    expect(result.ok && result.fields[0]?.name).toBe('model')
  })

  test('a name is its own each time, whatever names were met before', () => {
    // Pairs of these have the same hash.
    const alike = fc.constantFrom('Aa', 'BB', 'AaAa', 'AaBB', 'BBAa', 'BBBB')
    const name = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 40 }), alike)
    const names = fc.array(name, { minLength: 1, maxLength: 20 })
    const rejected = new Set(['__proto__', 'constructor', 'prototype'])
    fc.assert(
      fc.property(names, (given) => {
        const distinct = [...new Set(given)].filter((name) => !rejected.has(name))
        const text = `{${distinct.map((name) => `${JSON.stringify(name)}:1`).join(',')}}`
        for (const _ of ['first', 'again']) {
          const result = scan(text)
          expect(result.ok && result.fields.map((field) => field.name)).toEqual(distinct)
        }
      }),
    )
    // The sign for bytes that cannot be read is no letter that such bytes are known by.
    const broken = (byte: number) => Uint8Array.from([...bytesOf('{"a'), byte, ...bytesOf('":1}')])
    for (const byte of [0xff, 0xfe, 0xff]) {
      const result = scanObject(broken(byte), codec)
      expect(result.ok && result.fields[0]?.name).toBe('a\ufffd')
    }
    expect(scan('{"ab":1}')).toMatchObject({ fields: [{ name: 'ab' }] })
  })

  test('brackets, quotes and backslashes inside strings of any length mean nothing', () => {
    for (const filler of ['', 'x'.repeat(13), 'x'.repeat(14), 'x'.repeat(15), 'x'.repeat(1000)])
      for (const odd of ['\\"', '\\\\', '\\\\\\"', '}]{[', '\\"}', '\\\\\\\\', ':,']) {
        const text = `{"a":"${filler}${odd}${filler}${odd}","b":["${odd}${filler}"],"c":1}`
        const result = scan(text)
        expect([text, result.ok && result.fields.map((field) => field.name)]).toEqual([text, ['a', 'b', 'c']])
      }
  })

  test('invalid UTF-8 in content is left alone', () => {
    const bytes = Uint8Array.from([...bytesOf('{"a":"'), 0xff, 0xc3, 0xed, 0xa0, 0x80, ...bytesOf('","b":1}')])
    const result = scanObject(bytes, codec)
    expect(result.ok && result.fields.map((field) => field.name)).toEqual(['a', 'b'])
  })
})

describe('errors', () => {
  const table: [string, RegExp, string?][] = [
    ['', /must be a JSON object/],
    ['   ', /must be a JSON object/],
    ['[]', /must be a JSON object/],
    ['"a"', /must be a JSON object/],
    ['null', /must be a JSON object/],
    ['\ufeff{}', /must be a JSON object/],
    ['{', /field name/],
    ['{"a"', /colon/, 'a'],
    ['{"a":', /ends where a value should be/, 'a'],
    ['{"a":1', /comma or the closing brace/, 'a'],
    ['{"a":1,', /field name/],
    ['{"a":1,}', /field name/],
    ['{,}', /field name/],
    ['{a:1}', /field name/],
    ["{'a':1}", /field name/],
    ['{"a" 1}', /colon/, 'a'],
    ['{"a":1 "b":2}', /comma/, 'a'],
    ['{"a":1}}', /after the closing brace/],
    ['{"a":1} x', /after the closing brace/],
    ['{}{}', /after the closing brace/],
    ['{"a', /does not end/],
    ['{"a\\"', /does not end/],
    ['{"a\\x":1}', /invalid escape/],
    ['{"a\n":1}', /control character/],
    ['{"a":"b', /string that does not end/, 'a'],
    [`{"a":"${'x'.repeat(100)}\\"`, /string that does not end/, 'a'],
    ['{"a":"b\\', /string that does not end/, 'a'],
    ['{"a":[1,2}', /not opened that way/, 'a'],
    ['{"a":{"b":1]}', /not opened that way/, 'a'],
    ['{"a":[1,2', /does not end/, 'a'],
    ['{"a":[1 2]}', /comma or a closing bracket/, 'a'],
    ['{"a":[1,]}', /expects a value/, 'a'],
    ['{"a":[,1]}', /expects a value/, 'a'],
    ['{"a":{"b"}}', /colon/, 'a'],
    ['{"a":{"b":1,}}', /member name/, 'a'],
    ['{"a":{"b":1 "c":2}}', /comma or a closing brace/, 'a'],
    ['{"a":{1:2}}', /member name/, 'a'],
    ['{"a":{"b":"c}}', /does not end/, 'a'],
    ['{"a":tru}', /expects a value/, 'a'],
    ['{"a":nul}', /expects a value/, 'a'],
    ['{"a":falsy}', /expects a value/, 'a'],
    ['{"a":truex}', /comma/, 'a'],
    ['{"a":True}', /expects a value/, 'a'],
    ['{"a":NaN}', /expects a value/, 'a'],
    ['{"a":-}', /expects a value/, 'a'],
    ['{"a":01}', /expects a value/, 'a'],
    ['{"a":1.}', /expects a value/, 'a'],
    ['{"a":.5}', /expects a value/, 'a'],
    ['{"a":+1}', /expects a value/, 'a'],
    ['{"a":1e}', /expects a value/, 'a'],
    ['{"a":0x10}', /comma/, 'a'],
    ['{"a":[01]}', /expects a value/, 'a'],
    ['{"a":1,"b":2,"a":3}', /the field a twice/, 'a'],
    ['{"model":1,"mod\\u0065l":2}', /the field model twice/, 'model'],
    ['{"__proto__":{}}', /__proto__/, '__proto__'],
    ['{"__pro\\u0074o__":{}}', /__proto__/, '__proto__'],
    ['{"constructor":1}', /constructor/, 'constructor'],
    ['{"prototype":1}', /prototype/, 'prototype'],
    [`{${Array.from({ length: 257 }, (_, index) => `"f${index}":1`).join(',')}}`, /more than 256/],
  ]
  for (const [text, message, field] of table)
    test(JSON.stringify(text.slice(0, 40)), () => {
      const result = scan(text)
      if (result.ok) throw new Error('was accepted')
      expect(result.message).toMatch(message)
      expect(result.field ?? 'none').toBe(field ?? 'none')
      expect(result.offset).toBeLessThanOrEqual(text.length)
    })

  test('nesting is limited, and never a matter of the call stack', () => {
    const nested = (depth: number) => scan(`{"messages":${'['.repeat(depth)}${']'.repeat(depth)}}`)
    expect(nested(MAX_DEPTH).ok).toBe(true)
    for (const depth of [MAX_DEPTH + 1, 200_000]) {
      const result = nested(depth)
      expect(result).toMatchObject({ ok: false, field: 'messages' })
      expect(!result.ok && result.message).toContain('nested more than')
    }
    expect(scan(`{"a":${'{"a":'.repeat(200_000)}`)).toMatchObject({ ok: false, field: 'a' })
  })
})

describe('survey', () => {
  test.each([0, 5000])('names of members are noted at the requested depths (%d bytes of padding)', (padding) => {
    const tools = [
      { type: 'function', function: { name: 'f', parameters: { type: 'object' } } },
      'x',
      [{ in: 1 }],
      { y: {} },
    ]
    const bytes = bytesOf(JSON.stringify({ a: 'x'.repeat(padding), tools, one: { b: { c: 1 } }, other: tools }))
    const result = scanObject(
      bytes,
      codec,
      new Map([
        ['tools', 4 | 8],
        ['one', 4],
      ]),
    )
    if (!result.ok) throw new Error(result.message)
    const noted = result.fields.map(({ name, members }) => {
      const names: string[] = []
      for (let note = 0; note < members.length; note += MEMBER_NOTE) {
        const [keyStart = 0, keyEnd = 0, start = 0, depth = 0] = Array.from(members).slice(note)
        if (depth < 0)
          names.push(
            `${textOf(bytes.subarray(keyStart, keyEnd))} ${textOf(bytes.subarray(start, start + 1))} ${-depth}`,
          )
      }
      return [name, names]
    })
    const inTools = ['"type" " 2', '"function" { 2', '"name" " 3', '"parameters" { 3', '"in" 1 3', '"y" { 2']
    expect(noted).toEqual([
      ['a', []],
      ['tools', inTools],
      ['one', ['"b" { 1']],
      ['other', []],
    ])
  })

  test('long strings are reported with the name they stand under', () => {
    const long = 'A'.repeat(5000)
    const bytes = bytesOf(JSON.stringify({ top: long, a: [{ data: long }, long, { short: 'x' }] }))
    const result = scanObject(bytes, codec)
    if (!result.ok) throw new Error(result.message)
    expect(result.longStrings.map(({ keyStart, keyEnd }) => textOf(bytes.subarray(keyStart, keyEnd)))).toEqual([
      '"data"',
    ])
    expect(result.longStrings.map(({ start, end }) => end - start)).toEqual([5002])
  })
})

describe('against JSON.parse', () => {
  const json = fc.json({ maxDepth: 4 })

  test('any object: the same names and the same values', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), json),
        fc.constantFrom(0, 1, '\t'),
        (members, indent) => {
          const names = Object.keys(members).filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name))
          const value = Object.fromEntries(names.map((name) => [name, JSON.parse(members[name] ?? 'null')]))
          const bytes = bytesOf(JSON.stringify(value, null, indent))
          const result = scanObject(bytes, codec)
          if (!result.ok) throw new Error(result.message)
          const read = result.fields.map(({ name, start, end }) => [
            name,
            JSON.parse(textOf(bytes.subarray(start, end))),
          ])
          expect(Object.fromEntries(read)).toEqual(JSON.parse(textOf(bytes)))
        },
      ),
      { numRuns: 300 },
    )
  })

  test('any damage: never accepts a body with a wrong structure, never throws', () => {
    const body = '{"a":[1,-2.5e3,true,null,{"b":"c","d":[]}],"e":{"f":"g\\"h\\\\"},"i":"j"}'
    const damage = fc.tuple(
      fc.nat(body.length - 1),
      fc.constantFrom('', '"', '{', '}', '[', ']', ',', ':', '\\', '1', 'x', ' '),
    )
    fc.assert(
      fc.property(fc.array(damage, { minLength: 1, maxLength: 3 }), (edits) => {
        let text = body
        for (const [at, letter] of edits) text = text.slice(0, at) + letter + text.slice(at + 1)
        const result = scan(text)
        let isJson = true
        try {
          JSON.parse(text)
        } catch {
          isJson = false
        }
        // Invalid escapes below the top level are the one thing that only a full parse finds.
        if (result.ok && !isJson) expect(text).toMatch(/\\[^"\\/bfnrtu]/)
        // Names given twice are the one thing that only the scan finds.
        if (!result.ok && isJson) expect(result.message).toMatch(/twice|must be a JSON object/)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('values', () => {
  const counted = (text: string, maxValues?: number) => {
    const result = scanObject(bytesOf(text), codec, undefined, maxValues)
    return result.ok ? result.values : result
  }

  /** An independent count: every value but the object itself. */
  const valuesIn = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? Object.values(value).reduce((sum: number, inner) => sum + 1 + valuesIn(inner), 0)
      : 0

  test('every value counts, at every depth; names do not', () => {
    expect(counted('{}')).toBe(0)
    expect(counted('{"a":1,"b":[],"c":{},"d":[[],[1,"x"]],"e":{"f":{"g":null}}}')).toBe(11)
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^x[a-z]{0,9}$/), fc.jsonValue()), (given) => {
        const text = JSON.stringify(given)
        expect(counted(text)).toBe(valuesIn(JSON.parse(text)))
      }),
    )
  })

  test.each([20, 5_000_000])('one more than allowed ends the scan, whatever follows (%d bytes)', (length) => {
    const many = `{"a":1,"b":[[],[],[${' '.repeat(length)}]]}`
    expect(counted(many, 5)).toBe(5)
    const end = { ok: false, message: 'has more than 4 values', field: 'b', tooManyValues: true }
    expect(counted(many, 4)).toMatchObject(end)
    expect(counted(`${many.slice(0, -3)}!`, 4)).toMatchObject(end)
  })
})
