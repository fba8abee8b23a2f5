import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bytesOf, bufferCodec as codec, textOfPieces } from '../../../../fixtures/buffer-codec.ts'
import type { ErrorInfo } from '../../../canonical/error.ts'
import { RequestError } from '../../../canonical/reading.ts'
import { type ChatEdits, type ChatFacts, editChatRequest, readChatRequest } from './request.ts'

const factsOf = (body: string): ChatFacts => readChatRequest(bytesOf(body), codec)
const MESSAGES = '"messages":[{"role":"user","content":"hi"}]'
/** A good request with these further members, given as JSON text. */
const withMembers = (members: string) => `{"model":"m",${MESSAGES}${members === '' ? '' : `,${members}`}}`

describe('facts', () => {
  test('a plain request', () => {
    const { fields, close, decoded, ...facts } = factsOf(withMembers(''))
    expect(facts).toEqual({
      model: 'm',
      stream: false,
      includeUsage: false,
      maxOutput: undefined,
      capField: undefined,
      n: 1,
      user: undefined,
      safetyIdentifier: undefined,
      tools: 0,
      images: 0,
      documents: 0,
      audios: 0,
      textBytes: 57,
      values: 5,
    })
    expect(decoded?.body).toEqual({ model: 'm', messages: [{ role: 'user', content: 'hi' }] })
    expect(fields.map((field) => field.name)).toEqual(['model', 'messages'])
    expect(close).toBe(56)
  })

  const table: [string, Partial<ChatFacts>][] = [
    ['"stream":true', { stream: true }],
    ['"stream":null', { stream: false }],
    ['"stream":true,"stream_options":{"include_usage":true}', { includeUsage: true }],
    ['"stream_options":{"include_usage":false}', { includeUsage: false }],
    ['"stream_options":{"include_usage":null}', { includeUsage: false }],
    ['"stream_options":{"include_obfuscation":false}', { includeUsage: false }],
    ['"stream_options":null', { includeUsage: false }],
    ['"temperature":0,"top_p":1', {}],
    ['"temperature":2.0,"top_p":0', {}],
    ['"temperature":null,"top_p":null,"n":null,"max_tokens":null', { n: 1, maxOutput: undefined, capField: undefined }],
    ['"max_tokens":7', { maxOutput: 7, capField: 'max_tokens' }],
    ['"max_completion_tokens":8', { maxOutput: 8, capField: 'max_completion_tokens' }],
    ['"max_tokens":7,"max_completion_tokens":8', { maxOutput: 8, capField: 'max_completion_tokens' }],
    ['"max_tokens":7,"max_completion_tokens":null', { maxOutput: 7, capField: 'max_tokens' }],
    ['"max_tokens":10000000', { maxOutput: 10_000_000 }],
    ['"max_tokens":1e3', { maxOutput: 1000 }],
    ['"n":128', { n: 128 }],
    ['"tools":[]', { tools: 0 }],
    ['"tools":null', { tools: 0 }],
    ['"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}}]', { tools: 2 }],
    ['"user":"Zoë 🦊","safety_identifier":"s"', { user: 'Zoë 🦊', safetyIdentifier: 's' }],
    ['"stop":"x","tool_choice":"auto"', {}],
    ['"stop":["x","y"],"tool_choice":"none"', {}],
    ['"stop":null,"tool_choice":null,"user":null', {}],
    ['"top_k":40,"thinking":{"type":"enabled"},"x":[[[]]]', {}],
    ['"note":"lone \\ud800 and nul \\u0000 pass in content"', {}],
  ]
  test.each(table)('%s', (members, expected) => {
    expect(factsOf(withMembers(members))).toMatchObject(expected)
  })

  test('media are counted, and their encoded bytes are counted apart from text', () => {
    const image = `data:image/png;base64,${'A'.repeat(3000)}`
    const body = JSON.stringify({
      model: 'm',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: `"type":"image_url" ${'long text '.repeat(200)}` },
            { type: 'image_url', image_url: { url: image } },
            { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
            { type: 'input_audio', input_audio: { data: 'B'.repeat(2000), format: 'wav' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'C'.repeat(1000) } },
          ],
        },
      ],
    })
    const expected = {
      images: 2,
      audios: 1,
      documents: 1,
      textBytes: body.length - (image.length + 2000 - 16 + 1000 - 63),
    }
    expect(factsOf(body)).toMatchObject(expected)
  })
})

function errorOf(bytes: Uint8Array): ErrorInfo {
  try {
    readChatRequest(bytes, codec)
  } catch (error) {
    if (error instanceof RequestError) return error.info
    throw error
  }
  throw new Error('was accepted')
}

describe('errors name the field and what to change', () => {
  const big = `"content":"${'x'.repeat(20_000)}"`
  const table: [string, string | undefined, RegExp][] = [
    ['', undefined, /must be a JSON object/],
    ['not json', undefined, /must be a JSON object/],
    ['[]', undefined, /must be a JSON object/],
    ['{"model":"m"', 'model', /comma or the closing brace/],
    [`{${MESSAGES}}`, 'model', /model is required/],
    [`{"model":null,${MESSAGES}}`, 'model', /model is required/],
    [`{"model":1,${MESSAGES}}`, 'model', /model must be a string/],
    [`{"model":["m"],${MESSAGES}}`, 'model', /model must be a string/],
    [`{"model":"",${MESSAGES}}`, 'model', /must not be empty/],
    [`{"model":"${'m'.repeat(257)}",${MESSAGES}}`, 'model', /longer than 256/],
    [`{"model":"m\\u0000",${MESSAGES}}`, 'model', /control characters/],
    [`{"model":"m\\n",${MESSAGES}}`, 'model', /control characters/],
    [`{"model":"m\\ud800",${MESSAGES}}`, 'model', /valid Unicode/],
    [`{"model":"\\udc00m",${MESSAGES}}`, 'model', /valid Unicode/],
    ['{"model":"m"}', 'messages', /messages is required/],
    ['{"model":"m","messages":null}', 'messages', /messages is required/],
    ['{"model":"m","messages":[]}', 'messages', /at least one/],
    ['{"model":"m","messages":{}}', 'messages', /must be an array/],
    ['{"model":"m","messages":"hi"}', 'messages', /must be an array/],
    [withMembers('"stream":"true"'), 'stream', /true or false/],
    [withMembers('"stream":1'), 'stream', /true or false/],
    [withMembers('"stream_options":true'), 'stream_options', /must be an object/],
    [withMembers('"stream_options":{"include_usage":1}'), 'stream_options.include_usage', /true or false/],
    [
      withMembers('"stream_options":{"include_usage":true,"include_usage":false}'),
      'stream_options.include_usage',
      /twice/,
    ],
    [withMembers('"temperature":2.1'), 'temperature', /temperature must be a number between 0 and 2/],
    [withMembers('"temperature":-0.1'), 'temperature', /between 0 and 2/],
    [withMembers('"temperature":"1"'), 'temperature', /between 0 and 2/],
    [withMembers('"temperature":1e400'), 'temperature', /between 0 and 2/],
    [withMembers('"top_p":1.01'), 'top_p', /between 0 and 1/],
    [withMembers('"max_tokens":0'), 'max_tokens', /whole number between 1 and 10000000/],
    [withMembers('"max_tokens":-1'), 'max_tokens', /whole number/],
    [withMembers('"max_tokens":1.5'), 'max_tokens', /whole number/],
    [withMembers('"max_tokens":10000001'), 'max_tokens', /whole number/],
    [withMembers('"max_tokens":"10"'), 'max_tokens', /whole number/],
    [withMembers('"max_completion_tokens":0'), 'max_completion_tokens', /whole number/],
    [withMembers('"max_tokens":-5,"max_completion_tokens":5'), 'max_tokens', /whole number/],
    [withMembers('"n":0'), 'n', /between 1 and 128/],
    [withMembers('"n":129'), 'n', /between 1 and 128/],
    [withMembers('"n":4294967297'), 'n', /between 1 and 128/],
    [withMembers('"n":true'), 'n', /between 1 and 128/],
    [withMembers('"stop":1'), 'stop', /string or an array/],
    [withMembers('"tools":{}'), 'tools', /must be an array/],
    [withMembers('"tool_choice":1'), 'tool_choice', /string or an object/],
    [withMembers('"tool_choice":[]'), 'tool_choice', /string or an object/],
    [withMembers('"user":1'), 'user', /must be a string/],
    [withMembers('"user":"a\\u0000b"'), 'user', /control characters/],
    [withMembers('"safety_identifier":"\\ud83e"'), 'safety_identifier', /valid Unicode/],
    [withMembers('"model":"other"'), 'model', /twice/],
    [withMembers('"mod\\u0065l":"other"'), 'model', /twice/],
    [withMembers('"__proto__":{"stream":true}'), '__proto__', /__proto__/],
    [withMembers('"x":"bad \\x escape"'), undefined, /not valid JSON/],
    [withMembers('"x":"raw\nnewline"'), undefined, /not valid JSON/],
    [`{"model":"m","messages":${'['.repeat(200_000)}`, 'messages', /nested more than/],
    [`{"model":"m","messages":[{${big}}`, 'messages', /does not end/],
    [`{"model":"m","messages":[{${big},}]}`, 'messages', /member name/],
  ]
  for (const [body, param, message] of table)
    test(JSON.stringify(body.length > 90 ? `...${body.slice(-80)}` : body), () => {
      const { code, message: said, param: field } = errorOf(bytesOf(body))
      expect(code).toBe('bad_request')
      expect(said).toMatch(message)
      expect(field ?? 'none').toBe(param ?? 'none')
    })

  test('a model name that is not UTF-8', () => {
    const bytes = Uint8Array.from([...bytesOf('{"model":"m'), 0xff, ...bytesOf(`",${MESSAGES}}`)])
    expect(errorOf(bytes)).toEqual({ code: 'bad_request', message: 'The body is not valid UTF-8.' })
  })
})

describe('edits change what they name and no other byte', () => {
  const edit = (body: string, edits: ChatEdits) =>
    textOfPieces(editChatRequest(bytesOf(body), factsOf(body), edits, codec))
  const odd = `{ "x" : 1e2,\t"mod\\u0065l":  "m" ,${MESSAGES},"y":["\\u00e9 é 🦊"] \r\n} `

  const table: [string, string, ChatEdits, string][] = [
    ['model, in an odd body', odd, { model: 'n"é' }, odd.replace('"m"', '"n\\"é"')],
    ['usage, added', withMembers(''), { includeUsage: true }, withMembers('"stream_options":{"include_usage":true}')],
    [
      'usage, in an odd body',
      odd,
      { includeUsage: true },
      odd.replace('🦊"]', '🦊"],"stream_options":{"include_usage":true}'),
    ],
    [
      'usage, null options',
      withMembers('"stream_options":null,"z":1'),
      { includeUsage: true },
      withMembers('"stream_options":{"include_usage":true},"z":1'),
    ],
    [
      'usage, empty options',
      withMembers('"stream_options":{ }'),
      { includeUsage: true },
      withMembers('"stream_options":{"include_usage":true }'),
    ],
    [
      'usage, other options stay',
      withMembers('"stream_options":{"include_obfuscation":false}'),
      { includeUsage: true },
      withMembers('"stream_options":{"include_usage":true,"include_obfuscation":false}'),
    ],
    [
      'usage, rejected before',
      withMembers('"stream_options":{"a":1,"include_us\\u0061ge" : false,"b":2}'),
      { includeUsage: true },
      withMembers('"stream_options":{"a":1,"include_us\\u0061ge" : true,"b":2}'),
    ],
    ['cap, own field', withMembers('"max_tokens":900,"z":1'), { maxOutput: 50 }, withMembers('"max_tokens":50,"z":1')],
    [
      'cap, newer field',
      withMembers('"max_completion_tokens":900'),
      { maxOutput: 50 },
      withMembers('"max_completion_tokens":50'),
    ],
    [
      'cap, both fields',
      withMembers('"max_tokens":700,"max_completion_tokens":900'),
      { maxOutput: 50 },
      withMembers('"max_tokens":50,"max_completion_tokens":50'),
    ],
    [
      'cap, the other field is lower already',
      withMembers('"max_tokens":20,"max_completion_tokens":900'),
      { maxOutput: 50 },
      withMembers('"max_tokens":20,"max_completion_tokens":50'),
    ],
    ['cap, none given', withMembers(''), { maxOutput: 50 }, withMembers('"max_tokens":50')],
    [
      'cap, none given, named',
      withMembers(''),
      { maxOutput: 50, capField: 'max_completion_tokens' },
      withMembers('"max_completion_tokens":50'),
    ],
    ['cap, given as null', withMembers('"max_tokens":null'), { maxOutput: 50 }, withMembers('"max_tokens":50')],
    [
      'everything',
      withMembers('"max_tokens":900,"top_k":4'),
      { model: 'n', includeUsage: true, maxOutput: 50 },
      `{"model":"n",${MESSAGES},"max_tokens":50,"top_k":4,"stream_options":{"include_usage":true}}`,
    ],
  ]
  test.each(table)('%s', (_name, body, edits, expected) => {
    expect(edit(body, edits)).toBe(expected)
  })

  test('the same array when nothing changes', () => {
    const members = '"max_tokens":5,"stream_options":{"include_usage":true}'
    const bytes = bytesOf(withMembers(members))
    const facts = factsOf(withMembers(members))
    const edits: ChatEdits[] = [{}, { model: 'm' }, { includeUsage: true }, { maxOutput: 5 }, { maxOutput: 6 }]
    for (const each of edits) {
      const pieces = editChatRequest(bytes, facts, each, codec)
      expect(pieces).toHaveLength(1)
      expect(pieces[0]).toBe(bytes)
    }
  })

  test('any body and any edits: the same as editing the parsed object', () => {
    const json = fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text))
    const cap = fc.option(fc.integer({ min: 1, max: 1000 }))
    const body = fc.record(
      {
        model: fc.string({ minLength: 1, unit: 'grapheme-ascii' }),
        messages: fc.array(fc.record({ role: fc.constant('user'), content: fc.string(), other: json }), {
          minLength: 1,
        }),
        stream_options: fc.option(
          fc.record({ include_usage: fc.option(fc.boolean()), other: json }, { requiredKeys: [] }),
        ),
        max_tokens: cap,
        max_completion_tokens: cap,
        unknown: json,
      },
      { requiredKeys: ['model', 'messages'] },
    )
    const edits = fc.record(
      {
        model: fc.string({ unit: 'binary' }),
        includeUsage: fc.constant(true as const),
        maxOutput: fc.integer({ min: 1, max: 1000 }),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(body, edits, fc.constantFrom(0, 2), (value, wanted, indent) => {
        const text = JSON.stringify(value, null, indent)
        // biome-ignore lint/suspicious/noExplicitAny: a model of the edit on any parsed object
        const expected: any = JSON.parse(text)
        if (wanted.model !== undefined) expected.model = wanted.model
        if (wanted.includeUsage) expected.stream_options = { ...expected.stream_options, include_usage: true }
        if (wanted.maxOutput !== undefined) {
          const names = ['max_completion_tokens', 'max_tokens'].filter((name) => name in expected)
          const given = names.filter((name) => expected[name] !== null)
          for (const name of given) expected[name] = Math.min(expected[name], wanted.maxOutput)
          if (given.length === 0) expected[names[0] ?? 'max_tokens'] = wanted.maxOutput
        }
        expect(JSON.parse(edit(text, wanted))).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })
})
