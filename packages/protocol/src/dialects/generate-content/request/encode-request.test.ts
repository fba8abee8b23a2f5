import { describe, expect, test } from 'bun:test'
import { MIME, requestOf, targetOf } from '../../../../fixtures/generate-content/harness.ts'
import { mistakeOf, read } from '../../../../fixtures/generate-content/requests.ts'
import type { CanonicalRequest, MediaPart, Part, Tool, Turn } from '../../../canonical/request.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeRequest } from './encode-request.ts'

function write(more: Partial<CanonicalRequest>, model?: string) {
  const { target, warnings } = targetOf(model)
  const { body, tools } = encodeRequest(requestOf(more), target)
  return { body, tools, warnings, config: (body.generationConfig ?? {}) as Record<string, unknown> }
}

const user = (...parts: Part[]): Turn => ({ role: 'user', parts })
const model = (...parts: Part[]): Turn => ({ role: 'assistant', parts })
const text = (said: string, more: object = {}): Part => ({ type: 'text', text: said, ...more })
const call = (id: string, args: string, more: object = {}): Part => ({
  type: 'call',
  id,
  name: 'tide',
  arguments: args,
  custom: false,
  ...more,
})
const result = (callId: string, ...parts: (Part & { type: 'text' | 'media' })[]): Part => ({
  type: 'result',
  callId,
  parts,
  at: 'messages[4]',
})
const said = (value: string) => ({ type: 'text', text: value }) as const
const image = (source: MediaPart['source'], more: Partial<MediaPart> = {}): MediaPart => ({
  type: 'media',
  media: 'image',
  source,
  at: 'messages[0].content[1]',
  ...more,
})
const INLINE = { kind: 'inline', mime: MIME, data: 'AAAA' } as const
const TIDE: Tool = { name: 'tide', schema: { type: 'object', properties: { port: { type: 'string' } } } }

test('only what the caller set is sent', () => {
  const { body, tools, warnings } = write({})
  expect(body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'When is high water?' }] }] })
  expect(tools).toEqual({ changed: new Map(), wrapped: new Set(), firstCallOnly: false })
  expect(warnings).toEqual([])
})

test('a conversation with calls', () => {
  const { body, warnings } = write({
    instructions: [{ text: 'Be brief.' }, { text: 'Be kind.' }],
    turns: [
      user(text('Which port?'), image(INLINE)),
      model(text(''), text('Brest.'), call('a', '{"port":"Brest"}'), call('b', '')),
      user(result('b', said('offline')), text('and now?')),
      user(result('a', said('{"m":5.1}'))),
    ],
    tools: [TIDE],
    toolChoice: { mode: 'auto' },
    sampling: { maxOutput: 400 },
    reasoning: { effort: 'low' },
  })
  expect(body).toEqual({
    systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'Be kind.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'Which port?' }, { inlineData: { mimeType: MIME, data: 'AAAA' } }] },
      {
        role: 'model',
        parts: [
          { text: 'Brest.' },
          {
            functionCall: { name: 'tide', args: { port: 'Brest' } },
            thoughtSignature: 'skip_thought_signature_validator',
          },
          { functionCall: { name: 'tide', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'tide', response: { m: 5.1 } } },
          { functionResponse: { name: 'tide', response: { output: 'offline' } } },
          { text: 'and now?' },
        ],
      },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: 'tide', parametersJsonSchema: { type: 'object', properties: { port: { type: 'string' } } } },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
    generationConfig: { maxOutputTokens: 400, thinkingConfig: { thinkingLevel: 'LOW' } },
  })
  expect(warnings).toEqual([])
})

test('what this dialect can express survives a round trip', () => {
  const request = read({
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }] },
      { role: 'model', parts: [{ text: 'Hm.' }, { functionCall: { name: 'a.b:c-d', args: { x: [1, null] } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'a.b:c-d', response: { error: 'offline' } } }] },
    ],
    tools: [{ functionDeclarations: [{ name: 'a.b:c-d', description: 'D', parametersJsonSchema: TIDE.schema }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['a.b:c-d'] } },
    generationConfig: {
      temperature: 0.1,
      topP: 0.2,
      topK: 3,
      candidateCount: 2,
      maxOutputTokens: 9,
      stopSequences: ['a', 'b'],
      presencePenalty: 0.5,
      frequencyPenalty: 0.6,
      seed: 7,
      responseLogprobs: true,
      logprobs: 2,
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
      responseModalities: ['TEXT', 'IMAGE'],
      thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' },
    },
    labels: { team: 'sea' },
    serviceTier: 'priority',
    store: true,
  })
  const { target, warnings } = targetOf('gemini-2.5-flash')
  expect(decodeRequest(encodeRequest(request, targetOf().target).body, { model: 'tide-1', stream: true })).toEqual(
    request,
  )
  const plain = { ...request, format: { type: 'text' } } as const
  const older = decodeRequest(encodeRequest(plain, target).body, { model: 'tide-1', stream: true })
  expect(older).toEqual({ ...plain, reasoning: { mode: 'on', budget: 24_576, show: 'summary' } })
  expect(warnings).toEqual([])
})

// The vendor: "Function calling with a response mime type: 'application/json' is unsupported".
describe.each([
  [{ type: 'json' }, 'one JSON object'],
  [{ type: 'schema', schema: { type: 'array', items: { type: 'integer' } } }, '{"type":"array"'],
] as const)('tools beside the format %j', (format, asked) => {
  test.each([
    ['gemini-2.5-flash'],
    ['gemini-2.0-flash'],
  ])('%s is asked for it in the prompt, with a warning', (name) => {
    const { body, config, warnings } = write({ tools: [TIDE], format, instructions: [{ text: 'Be brief.' }] }, name)
    expect(config).toEqual({})
    expect(body.tools).toBeDefined()
    const { parts } = body.systemInstruction as { parts: { text: string }[] }
    expect(parts.map((part) => part.text)).toEqual(['Be brief.', expect.stringContaining(asked)])
    expect(warnings).toEqual(['format;changed'])
  })

  test('a newer model takes both', () => {
    const { config, warnings } = write({ tools: [TIDE], format }, 'gemini-3-flash')
    expect(config.responseMimeType).toBe('application/json')
    expect(warnings).toEqual([])
  })

  test('without tools nothing changes', () => {
    const { config, warnings } = write({ format }, 'gemini-2.5-flash')
    expect(config.responseMimeType).toBe('application/json')
    expect(warnings).toEqual([])
  })
})

describe('turns', () => {
  const contentsOf = (turns: Turn[], more: Partial<CanonicalRequest> = {}) => {
    const { body, warnings } = write({ turns, ...more })
    return { contents: body.contents as { role: string; parts: object[] }[], body, warnings }
  }

  test('equals in a row are one, and the user begins', () => {
    const { contents } = contentsOf([model(text('a')), model(text('b')), user(text('c')), user(text('d'))])
    expect(contents).toEqual([
      { role: 'user', parts: [{ text: '(continued)' }] },
      { role: 'model', parts: [{ text: 'a' }, { text: 'b' }] },
      { role: 'user', parts: [{ text: 'c' }, { text: 'd' }] },
    ])
  })
  test('instructions in the middle are marked text', () => {
    const { contents } = contentsOf([user(text('a')), { role: 'system', parts: [text('b')] }])
    expect(contents).toEqual([
      { role: 'user', parts: [{ text: 'a' }, { text: '<system-instruction>b</system-instruction>' }] },
    ])
  })
  test('only instructions: the last one is the question', () => {
    const { body } = contentsOf([], { instructions: [{ text: 'a' }, { text: 'b' }] })
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: 'a' }] },
      contents: [{ role: 'user', parts: [{ text: 'b' }] }],
    })
  })
  test('the name of a user is sent', () => {
    const { contents, warnings } = contentsOf([{ role: 'user', name: 'Ada', parts: [text('a')] }])
    expect(contents[0]?.parts).toEqual([{ text: 'Ada: a' }])
    expect(warnings).toEqual(['name;changed'])
  })
  test('parts of hosted tools are left out, and a turn with nothing else with them', () => {
    const foreign: Part = { type: 'foreign', what: 'web_search', at: 'input[1]' }
    const { contents, warnings } = contentsOf([user(text('a')), model(foreign), user(text('b'))])
    expect(contents).toEqual([{ role: 'user', parts: [{ text: 'a' }, { text: 'b' }] }])
    expect(warnings).toEqual(['turns;dropped'])
  })
  test('a refusal becomes text, and reasoning of other vendors is dropped', () => {
    const thought: Part = { type: 'reasoning', text: 'hm', style: 'full', signature: 'not-ours' }
    const { contents, warnings } = contentsOf([user(text('a')), model(thought, { type: 'refusal', text: 'No.' })])
    expect(contents[1]?.parts).toEqual([{ text: 'No.' }])
    expect(warnings).toEqual([])
  })
  test('a result without its call is rejected', () => {
    expect(mistakeOf(() => contentsOf([user(text('a'), result('z', said('x')))]))).toMatchObject({
      param: 'messages[4]',
    })
  })

  const ARGUMENTS: [given: string, args: object, warnings: string[]][] = [
    ['', {}, []],
    [' ', {}, []],
    ['{"a":{"b":1}}', { a: { b: 1 } }, []],
    ['{"a":', { _raw: '{"a":' }, ['arguments;changed']],
    ['[1]', { value: [1] }, ['arguments;changed']],
    ['null', { value: null }, ['arguments;changed']],
  ]
  test.each(ARGUMENTS)('arguments %p', (given, args, warned) => {
    const { contents, warnings } = contentsOf([user(text('a')), model(call('a', given))])
    expect(contents[1]?.parts).toMatchObject([{ functionCall: { args } }])
    expect(warnings).toEqual(warned)
  })
})

describe('signatures', () => {
  const partsOf = (parts: Part[], name?: string): object[] => {
    const { body } = write({ turns: [user(text('a')), model(...parts)] }, name)
    return (body.contents as { parts: object[] }[])[1]?.parts ?? []
  }
  const signature = 'gw1.own'
  const thought = (value: string): Part => ({ type: 'reasoning', text: value, style: 'summary', signature })

  const CASES: [name: string, parts: Part[], wire: object[]][] = [
    ['on a call', [call('a', '', { signature })], [{ thoughtSignature: 'own' }]],
    ['on a text', [text('x', { signature })], [{ text: 'x', thoughtSignature: 'own' }]],
    ['on an empty text', [text('', { signature })], [{ text: '', thoughtSignature: 'own' }]],
    [
      'on a thought',
      [thought('hm'), text('x')],
      [{ text: 'hm', thought: true, thoughtSignature: 'own' }, { text: 'x' }],
    ],
    [
      'carried by an empty thought to its call',
      [thought(''), call('a', '')],
      [{ functionCall: {}, thoughtSignature: 'own' }],
    ],
    [
      'carried by an unreadable thought',
      [{ type: 'redacted', data: signature }, call('a', '')],
      [{ functionCall: {}, thoughtSignature: 'own' }],
    ],
    ['carried, with no call', [thought('')], [{ text: '', thoughtSignature: 'own' }]],
    [
      'of another upstream',
      [call('a', '', { signature: 'x' })],
      [{ thoughtSignature: 'skip_thought_signature_validator' }],
    ],
    [
      'needed only by the first call',
      [call('a', ''), call('b', '')],
      [{ thoughtSignature: 'skip_thought_signature_validator' }, {}],
    ],
  ]
  test.each(CASES)('%s', (_, parts, wire) => {
    const written = partsOf(parts)
    expect(written).toMatchObject(wire)
    expect(written.map((part) => 'thoughtSignature' in part)).toEqual(wire.map((part) => 'thoughtSignature' in part))
  })

  const NEEDED: [model: string, isNeeded: boolean][] = [
    ['our-alias', true],
    ['gemini-3.1-pro-preview', true],
    ['gemini-2.5-pro', false],
  ]
  test.each(NEEDED)('needed by %s: %p', (name, isNeeded) => {
    expect(partsOf([call('a', '')], name).map((part) => 'thoughtSignature' in part)).toEqual([isNeeded])
  })
})

describe('media', () => {
  const DATA = { inlineData: { mimeType: MIME, data: 'AAAA' } }
  const CASES: [name: string, part: MediaPart, wire: object[]][] = [
    ['inline', image(INLINE), [DATA]],
    [
      'a URL is fetched',
      image({ kind: 'url', url: 'https://a.example/x' }),
      [{ inlineData: { mimeType: MIME, data: 'RkVUQ0hFRA==' } }],
    ],
    [
      'a video page is not',
      image({ kind: 'url', url: 'https://youtu.be/x' }, { media: 'video' }),
      [{ fileData: { fileUri: 'https://youtu.be/x' } }],
    ],
    [
      'audio',
      image({ kind: 'inline', mime: 'audio/wav', data: 'AAAA' }, { media: 'audio' }),
      [{ inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }],
    ],
    [
      'a document in text',
      image({ kind: 'text', mime: 'text/plain', text: 'T' }, { media: 'document', name: 'n' }),
      [{ text: '<document title="n">\nT\n</document>' }],
    ],
    [
      'a named document with context',
      image(INLINE, { media: 'document', name: 'n.pdf', context: 'c' }),
      [{ text: '[n.pdf]' }, { text: 'c' }, DATA],
    ],
  ]
  test.each(CASES)('%s', (_, part, wire) => {
    expect(write({ turns: [user(part)] }).body.contents).toEqual([{ role: 'user', parts: wire }])
  })

  test('a file kept at a vendor is rejected', () => {
    const turns = [user(image({ kind: 'object', id: 'file-1' }))]
    expect(mistakeOf(() => write({ turns }))).toMatchObject({
      code: 'unsupported_parameter',
      param: 'messages[0].content[1]',
    })
  })

  const answered = (parts: (MediaPart | { type: 'text'; text: string })[], name?: string) => {
    const turns = [user(text('a')), model(call('a', '')), user(result('a', ...parts))]
    return (write({ turns }, name).body.contents as { parts: object[] }[])[2]?.parts
  }
  test('in a result', () => {
    expect(answered([said('x'), said('y'), image(INLINE)])).toEqual([
      { functionResponse: { name: 'tide', response: { output: 'x\ny' }, parts: [DATA] } },
    ])
  })
  test('in a result for an older model: behind it', () => {
    expect(answered([said('x'), image(INLINE)], 'gemini-2.0-flash')).toEqual([
      { functionResponse: { name: 'tide', response: { output: 'x' } } },
      { text: '[output of tide]' },
      DATA,
    ])
  })

  const DETAILS: [details: (string | undefined)[], resolution: string | undefined, warnings: string[]][] = [
    [['low'], 'MEDIA_RESOLUTION_LOW', []],
    [['original'], 'MEDIA_RESOLUTION_HIGH', []],
    [['auto'], undefined, []],
    [[undefined, 'high'], 'MEDIA_RESOLUTION_HIGH', ['detail;changed']],
  ]
  test.each(DETAILS)('detail %j', (details, resolution, warned) => {
    const parts = details.map((detail) => image(INLINE, detail === undefined ? {} : { detail }))
    const { config, warnings } = write({ turns: [user(...parts)] })
    expect(config.mediaResolution).toBe(resolution)
    expect(warnings).toEqual(warned)
  })
})
