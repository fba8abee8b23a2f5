import { describe, expect, test } from 'bun:test'
import { HELLO, mistakeOf, partsOf, read } from '../../../../fixtures/generate-content/requests.ts'
import { originOf } from '../../../../fixtures/origins.ts'
import { untranslatedOf } from '../../../../fixtures/untranslated.ts'
import type { CanonicalRequest } from '../../../canonical/request.ts'
import { rejectStored } from './stored-state.ts'

test('the smallest request', () => {
  expect(read(HELLO)).toEqual({
    from: originOf('generate-content'),
    model: 'tide-1',
    stream: true,
    showUsage: true,
    instructions: [],
    turns: [{ role: 'user', parts: [{ type: 'text', text: 'hello' }] }],
    tools: [],
    hostedTools: [],
    format: { type: 'text' },
    modalities: [],
    sampling: {},
    reasoning: {},
    untranslated: [],
  })
})

const EVERYTHING = {
  systemInstruction: { role: 'user', parts: [{ text: 'Be brief.' }, { text: 'Be kind.' }] },
  contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
  tools: [
    {
      functionDeclarations: [
        {
          name: 'tide_height',
          description: 'Height of the tide',
          parameters: {
            type: 'OBJECT',
            properties: {
              min_items: { type: 'STRING', nullable: true },
              when: { type: 'ARRAY', items: { type: 'INTEGER' }, minItems: '2' },
            },
            required: ['when'],
          },
        },
        { name: 'ports', parametersJsonSchema: { type: 'object', properties: { near_by: { type: 'string' } } } },
      ],
    },
    { googleSearch: {} },
  ],
  toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['tide_height', 'ports'] } },
  generationConfig: {
    temperature: 0.4,
    topP: 0.9,
    topK: 40,
    candidateCount: 2,
    maxOutputTokens: 512,
    stopSequences: ['END'],
    responseLogprobs: true,
    logprobs: 3,
    presencePenalty: 0.5,
    frequencyPenalty: -0.5,
    seed: 42,
    responseMimeType: 'application/json',
    responseSchema: {
      type: 'OBJECT',
      properties: { b: { type: 'STRING' }, a: { type: 'NUMBER' } },
      propertyOrdering: ['a', 'b'],
    },
    responseModalities: ['TEXT', 'IMAGE'],
    thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' },
    speechConfig: {},
  },
  safetySettings: [{ category: 'X', threshold: 'Y' }],
  labels: { team_name: 'sea' },
  serviceTier: 'flex',
  store: false,
  somethingNew: 1,
}

const READ: CanonicalRequest = {
  from: originOf('generate-content'),
  model: 'tide-1',
  stream: true,
  showUsage: true,
  instructions: [{ text: 'Be brief.' }, { text: 'Be kind.' }],
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'hello' }] }],
  tools: [
    {
      name: 'tide_height',
      description: 'Height of the tide',
      schema: {
        type: 'object',
        properties: {
          min_items: { type: ['string', 'null'] },
          when: { type: 'array', items: { type: 'integer' }, minItems: 2 },
        },
        required: ['when'],
      },
    },
    { name: 'ports', schema: { type: 'object', properties: { near_by: { type: 'string' } } } },
  ],
  hostedTools: [{ name: 'googleSearch', at: 'tools[1].googleSearch', search: {} }],
  toolChoice: { mode: 'allowed', required: true, names: ['tide_height', 'ports'] },
  format: { type: 'schema', schema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'string' } } } },
  modalities: ['image'],
  sampling: {
    temperature: 0.4,
    topP: 0.9,
    topK: 40,
    presencePenalty: 0.5,
    frequencyPenalty: -0.5,
    seed: 42,
    choices: 2,
    stop: ['END'],
    maxOutput: 512,
    logprobs: { top: 3 },
  },
  reasoning: { effort: 'low', show: 'summary' },
  tier: 'flex',
  metadata: { team_name: 'sea' },
  store: false,
  untranslated: [],
}

/** The caller's own names stand below these and keep their spelling. */
const USER_DATA = ['properties', 'labels', 'args', 'response', 'parametersJsonSchema', 'responseJsonSchema']

function snaked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snaked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      name === 'properties'
        ? Object.fromEntries(Object.entries(held).map(([key, one]) => [key, snaked(one)]))
        : USER_DATA.includes(name)
          ? held
          : snaked(held),
    ]),
  )
}

test('every field, in both spellings', () => {
  expect(read(EVERYTHING)).toEqual(READ)
  expect(JSON.stringify(read(EVERYTHING).format)).toContain('"properties":{"a"')
  const snake = snaked(EVERYTHING) as object
  expect(read(snake)).toEqual(READ)
  expect(untranslatedOf('generate-content', { ...EVERYTHING, model: 'm' })).toEqual([
    'generationConfig.speechConfig',
    'safetySettings',
    'somethingNew',
  ])
  expect(untranslatedOf('generate-content', { ...snake, model: 'm' })).toEqual([
    'generationConfig.speech_config',
    'safety_settings',
    'something_new',
  ])
})

test('names inside user data are never respelled', () => {
  const [call, result] = partsOf(
    { function_call: { name: 'f', args: { file_uri: { mime_type: 1 } } } },
    { function_response: { name: 'f', response: { max_height: { in_feet: 2 } } } },
  )
  expect(call).toMatchObject({ arguments: '{"file_uri":{"mime_type":1}}' })
  expect(result).toMatchObject({ parts: [{ text: '{"max_height":{"in_feet":2}}' }] })
})

describe('the vendor reads leniently', () => {
  const SAME: [name: string, body: object][] = [
    ['objects for lists', { contents: { parts: { text: 'hello' } } }],
    ['a missing role', { contents: [{ parts: [{ text: 'hello' }] }] }],
    ['empty texts beside it', { contents: [{ role: 'user', parts: [{ text: '' }, { text: 'hello' }, {}] }] }],
    ['nulls', { ...HELLO, tools: null, generationConfig: null, cachedContent: null, systemInstruction: null }],
  ]
  test.each(SAME)('%s', (_, body) => expect(read(body)).toEqual(read(HELLO)))

  test('numbers as text', () => {
    const { sampling } = read({ ...HELLO, generationConfig: { maxOutputTokens: '512', temperature: '0.5' } })
    expect(sampling).toEqual({ temperature: 0.5, maxOutput: 512 })
  })

  const INSTRUCTIONS: [given: unknown][] = [['Be brief.'], [{ parts: { text: 'Be brief.' } }], [{ text: 'Be brief.' }]]
  test.each(INSTRUCTIONS)('instructions %j', (systemInstruction) => {
    expect(read({ ...HELLO, systemInstruction }).instructions).toEqual([{ text: 'Be brief.' }])
  })
})

describe('the choice of tools', () => {
  const CHOICES: [config: object, choice: object | undefined, strict: true | undefined][] = [
    [{ mode: 'AUTO' }, { mode: 'auto' }, undefined],
    [{ mode: 'auto' }, { mode: 'auto' }, undefined],
    [{ mode: 'NONE' }, { mode: 'none' }, undefined],
    [{ mode: 'ANY' }, { mode: 'required' }, undefined],
    [{ mode: 'ANY', allowedFunctionNames: ['f'] }, { mode: 'tool', name: 'f' }, undefined],
    [{ mode: 'VALIDATED' }, { mode: 'auto' }, true],
    [{ mode: 'VALIDATED', allowed_function_names: ['f'] }, { mode: 'allowed', required: false, names: ['f'] }, true],
    [{ mode: 'MODE_UNSPECIFIED' }, undefined, undefined],
    [{ mode: 'SOMETIMES' }, undefined, undefined],
  ]
  test.each(CHOICES)('%j', (functionCallingConfig, choice, strict) => {
    const request = read({
      ...HELLO,
      tools: { functionDeclarations: [{ name: 'f' }] },
      toolConfig: { functionCallingConfig },
    })
    expect(request.toolChoice as object | undefined).toEqual(choice)
    expect(request.tools[0]?.strict).toBe(strict)
    expect(request.untranslated).toEqual(
      'mode' in functionCallingConfig && functionCallingConfig.mode === 'SOMETIMES'
        ? ['toolConfig.functionCallingConfig.mode']
        : [],
    )
  })
})

describe('settings', () => {
  const THINKING: [config: object, wish: object][] = [
    [{ thinkingBudget: 0 }, { mode: 'off' }],
    [{ thinkingBudget: -1 }, { mode: 'auto' }],
    [
      { thinkingBudget: 2048, includeThoughts: false },
      { mode: 'on', budget: 2048, show: 'none' },
    ],
    [
      { thinking_level: 'THINKING_LEVEL_HIGH', include_thoughts: true },
      { effort: 'high', show: 'summary' },
    ],
    [{ thinkingLevel: 'minimal' }, { effort: 'minimal' }],
    [{ thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED' }, {}],
  ]
  test.each(THINKING)('thinking %j', (thinkingConfig, wish) => {
    expect(read({ ...HELLO, generationConfig: { thinkingConfig } }).reasoning).toEqual(wish)
  })

  const FORMATS: [config: object, format: object, untranslated: string[]][] = [
    [{ responseMimeType: 'text/plain' }, { type: 'text' }, []],
    [{ responseMimeType: 'application/json' }, { type: 'json' }, []],
    [
      { responseMimeType: 'application/json', responseJsonSchema: { a_b: 1 } },
      { type: 'schema', schema: { a_b: 1 } },
      [],
    ],
    [
      { responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: ['a'] } },
      { type: 'text' },
      ['generationConfig.responseMimeType'],
    ],
  ]
  test.each(FORMATS)('format %j', (generationConfig, format, untranslated) => {
    const request = read({ ...HELLO, generationConfig })
    expect(request.format as object).toEqual(format)
    expect(request.untranslated).toEqual(untranslated)
  })

  const TIERS: [tier: string, read: string | undefined][] = [
    ['SERVICE_TIER_PRIORITY', 'priority'],
    ['standard', 'default'],
    ['unspecified', undefined],
  ]
  test.each(TIERS)('tier %p', (serviceTier, tier) => expect(read({ ...HELLO, serviceTier }).tier).toBe(tier as never))
})

describe('errors name the field', () => {
  test('a body that is no object has none', () => {
    const mistake = mistakeOf(() => read('hello'))
    expect(mistake).toEqual({ code: 'bad_request', message: 'The body must be a JSON object' })
  })

  const MISTAKES: [param: string, body: unknown][] = [
    ['contents', {}],
    ['contents', { contents: [] }],
    ['contents', { contents: 'hello' }],
    ['contents[1]', { contents: [{}, 'x'] }],
    ['contents[0].role', { contents: [{ role: 'assistant', parts: [] }] }],
    ['contents[0].parts', { contents: [{ parts: 'x' }] }],
    ['contents[0].parts[1].text', { contents: [{ parts: [{ text: 'x' }, { text: 1 }] }] }],
    [
      'contents[0].parts[0].inlineData.data',
      { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: '%%' } }] }] },
    ],
    ['contents[0].parts[0].inlineData.mimeType', { contents: [{ parts: [{ inlineData: { data: 'AAAA' } }] }] }],
    ['contents[0].parts[0].fileData.fileUri', { contents: [{ parts: [{ fileData: {} }] }] }],
    ['contents[0].parts[0].functionCall.name', { contents: [{ parts: [{ functionCall: {} }] }] }],
    [
      'contents[0].parts[0].functionCall.args',
      { contents: [{ parts: [{ functionCall: { name: 'f', args: '{}' } }] }] },
    ],
    [
      'contents[0].parts[0].functionResponse.response',
      { contents: [{ parts: [{ functionResponse: { name: 'f', response: 'x' } }] }] },
    ],
    ['generationConfig', { ...HELLO, generationConfig: 1 }],
    ['generationConfig.temperature', { ...HELLO, generationConfig: { temperature: 3 } }],
    ['generationConfig.maxOutputTokens', { ...HELLO, generationConfig: { maxOutputTokens: 0 } }],
    ['generationConfig.candidateCount', { ...HELLO, generationConfig: { candidateCount: 129 } }],
    ['generationConfig.stopSequences[0]', { ...HELLO, generationConfig: { stopSequences: [1] } }],
    [
      'generationConfig.thinkingConfig.thinkingBudget',
      { ...HELLO, generationConfig: { thinkingConfig: { thinkingBudget: 1.5 } } },
    ],
    ['tools[0].functionDeclarations[0].name', { ...HELLO, tools: [{ functionDeclarations: [{}] }] }],
    [
      'tools[0].functionDeclarations[0].parameters.properties.a',
      { ...HELLO, tools: [{ functionDeclarations: [{ name: 'f', parameters: { properties: { a: 1 } } }] }] },
    ],
    ['labels.a', { ...HELLO, labels: { a: 1 } }],
  ]
  test.each(MISTAKES)('%s', (param, body) => {
    const mistake = mistakeOf(() => read(body))
    expect(mistake).toMatchObject({ code: 'bad_request', param })
    expect(mistake.message).toContain(param)
  })
})

describe('references to objects stored at the vendor are rejected before translation', () => {
  const STORED: [param: string, body: object][] = [
    ['cachedContent', { ...HELLO, cachedContent: 'cachedContents/1' }],
    ['cachedContent', { ...HELLO, cached_content: 'cachedContents/1' }],
    ['contents[0].parts[0].fileData', { contents: [{ parts: [{ file_data: { file_uri: 'files/1' } }] }] }],
  ]
  test.each(STORED)('%s', (param, body) => {
    expect(mistakeOf(() => rejectStored(body))).toMatchObject({ code: 'unsupported_parameter', param })
  })
  test('anything else is not', () => {
    rejectStored(EVERYTHING)
    rejectStored({ contents: [{ parts: [{ fileData: { fileUri: 'https://a.example/b.png' } }] }], cachedContent: '' })
  })
})
