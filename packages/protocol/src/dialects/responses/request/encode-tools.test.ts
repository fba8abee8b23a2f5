import { describe, expect, test } from 'bun:test'
import { originOf } from '../../../../fixtures/origins.ts'
import { call, rejected, result, said, TIDE, turn, written } from '../../../../fixtures/responses/requests.ts'
import type { JsonSchema, MediaPart } from '../../../canonical/request.ts'

describe('media', () => {
  const media = (more: Partial<MediaPart>): MediaPart => ({
    type: 'media',
    media: 'document',
    source: { kind: 'inline', mime: 'application/pdf', data: 'JVBERi0=' },
    at: 'a[0]',
    ...more,
  })
  test.each([
    [
      'PDF',
      media({ name: 'a.pdf' }),
      [{ type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' }],
    ],
    [
      'PDF without a name',
      media({}),
      [{ type: 'input_file', filename: 'document.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' }],
    ],
    [
      'file by URL',
      media({ source: { kind: 'url', url: 'https://a.example/a.pdf' } }),
      [{ type: 'input_file', file_url: 'https://a.example/a.pdf' }],
    ],
    [
      'image by URL',
      media({ media: 'image', detail: 'low', source: { kind: 'url', url: 'https://a.example/a.png' } }),
      [{ type: 'input_image', image_url: 'https://a.example/a.png', detail: 'low' }],
    ],
    [
      'text document',
      media({ name: 'Tides "A"', context: 'Of 2031.', source: { kind: 'text', mime: 'text/plain', text: 'high' } }),
      [
        { type: 'input_text', text: 'Of 2031.' },
        { type: 'input_text', text: '<document title="Tides \\"A\\"">\nhigh\n</document>' },
      ],
    ],
  ])('%s', (_, part, expected) => {
    const { input } = written({ turns: [turn('user', { type: 'text', text: 'Hm' }, part)] })
    expect(input[0]?.content).toEqual([{ type: 'input_text', text: 'Hm' }, ...expected])
  })
  test.each([
    ['audio', media({ media: 'audio' })],
    ['video', media({ media: 'video' })],
    ['a file at another vendor', media({ source: { kind: 'object', id: 'file_1' } })],
    ['an image at another vendor', media({ media: 'image', source: { kind: 'object', id: 'file_1' } })],
  ])('%s is rejected by its place', (_, part) => {
    expect(rejected({ turns: [turn('user', part)] })).toMatchObject({ code: 'unsupported_parameter', param: 'a[0]' })
    expect(
      rejected({ turns: [turn('assistant', call('c')), turn('user', result('c', { parts: [part] }))] }).param,
    ).toBe('a[0]')
  })
  test('a detail that is unknown here', () => {
    expect(written({ turns: [turn('user', media({ media: 'image', detail: 'medium' }))] }).warned).toEqual([
      'detail;changed',
    ])
  })
  test('an image that the assistant made is shown to it', () => {
    const { input, warned } = written({
      turns: [said('Draw'), turn('assistant', media({ media: 'image' })), said('Again')],
    })
    expect(input.map(({ role }) => role)).toEqual(['user', 'user', 'user'])
    expect(input[1]?.content).toMatchObject([{ type: 'input_text' }, { type: 'input_image' }])
    expect(warned).toEqual(['turns;changed'])
  })
})

describe('tools', () => {
  test('names are brought under the rule and back', () => {
    const { body, tools } = written({
      tools: [{ name: 'mcp.server:do/it' }, { name: 'mcp_server_do_it' }],
      toolChoice: { mode: 'tool', name: 'mcp.server:do/it' },
      turns: [turn('assistant', call('c1', 'mcp.server:do/it')), turn('user', result('c1'))],
    })
    const [first, second] = body.tools as { name: string }[]
    expect(second?.name).toBe('mcp_server_do_it')
    expect(first?.name).toMatch(/^mcp_server_do_it_[a-z0-9]{6}$/)
    expect(body.tool_choice).toEqual({ type: 'function', name: first?.name })
    expect(body.input).toMatchObject([{ name: first?.name }, {}])
    expect([...tools.changed]).toEqual([[first?.name as string, 'mcp.server:do/it']])
  })

  test.each([
    ['auto', { mode: 'auto' }, 'auto'],
    ['none', { mode: 'none' }, 'none'],
    ['a custom tool', { mode: 'tool', name: 'plot' }, { type: 'custom', name: 'plot' }],
    [
      'some',
      { mode: 'allowed', required: true, names: ['tide', 'plot'] },
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [
          { type: 'function', name: 'tide' },
          { type: 'custom', name: 'plot' },
        ],
      },
    ],
  ] as const)('choice: %s', (_, toolChoice, expected) => {
    const grammar = { syntax: 'regex', definition: 'a+' }
    const { body } = written({ tools: [TIDE, { name: 'plot', custom: { grammar } }], toolChoice })
    expect(body.tool_choice).toEqual(expected)
    expect((body.tools as object[])[1]).toEqual({
      type: 'custom',
      name: 'plot',
      format: { type: 'grammar', ...grammar },
    })
  })

  test('a choice without tools', () => {
    const { body, warned } = written({ toolChoice: { mode: 'auto' }, parallelCalls: true })
    expect([body.tool_choice, body.parallel_tool_calls, warned]).toEqual([undefined, undefined, []])
    expect(rejected({ toolChoice: { mode: 'required' } })).toMatchObject({ param: 'tool_choice' })
  })

  test('hosted tools are dropped beside others, and rejected where they matter', () => {
    const hostedTools = [{ name: 'web_search', at: 'tools[1]' }]
    expect(written({ tools: [TIDE], hostedTools }).warned).toEqual(['tools;dropped'])
    expect(rejected({ hostedTools })).toMatchObject({
      code: 'unsupported_parameter',
      param: 'tools[1]',
      message: expect.stringContaining('web_search'),
    })
    const toolChoice = { mode: 'hosted', name: 'web_search' } as const
    expect(rejected({ tools: [TIDE], hostedTools, toolChoice })).toMatchObject({
      param: 'tool_choice',
      message: expect.stringContaining('web_search'),
    })
  })

  const closedSchema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
  const optional = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] }
  test.each<[string, JsonSchema, boolean, boolean]>([
    ['closed where nothing is optional', closedSchema, true, true],
    ['not forced where something is optional', optional, true, false],
    ['not forced where a keyword is unknown to it', { ...closedSchema, allOf: [] }, true, false],
    [
      'not forced deep inside',
      { type: 'object', properties: { a: { type: 'array', items: optional } }, required: ['a'] },
      true,
      false,
    ],
    ['as asked', closedSchema, false, false],
  ])('strict is %s', (_, schema, wanted, strict) => {
    const { body, warned } = written({ tools: [{ name: 'tide', schema, strict: wanted }] })
    const [tool] = body.tools as { strict: boolean; parameters: object }[]
    expect(tool?.strict).toBe(strict)
    expect(tool?.parameters).toEqual(strict ? { ...schema, additionalProperties: false } : schema)
    expect(warned).toEqual(wanted && !strict ? ['tools;changed'] : [])
    const format = written({ format: { type: 'schema', schema, strict: wanted } })
    expect(format.body.text).toMatchObject({ format: { type: 'json_schema', name: 'output', strict } })
    expect(format.warned).toEqual(wanted && !strict ? ['format;changed'] : [])
  })

  test('a caller whose dialect promises a fitting answer gets it promised', () => {
    const format = { type: 'schema', schema: closedSchema } as const
    expect(written({ from: originOf('messages'), format }).body.text).toMatchObject({ format: { strict: true } })
    expect(written({ from: originOf('chat'), format }).body.text).toEqual({
      format: { type: 'json_schema', name: 'output', schema: closedSchema },
    })
  })

  test('images are made by a tool of the vendor', () => {
    expect(written({ modalities: ['image'] }).body.tools).toEqual([{ type: 'image_generation' }])
    expect(rejected({ modalities: ['audio'] }).code).toBe('unsupported_parameter')
  })
})
