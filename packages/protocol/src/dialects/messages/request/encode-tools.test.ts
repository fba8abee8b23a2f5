import { describe, expect, test } from 'bun:test'
import {
  assistant,
  call,
  mistakeOf,
  plain,
  result,
  text,
  tide,
  user,
  written,
} from '../../../../fixtures/messages/requests.ts'
import { originOf } from '../../../../fixtures/origins.ts'
import type { CanonicalRequest, Tool } from '../../../canonical/request.ts'

const more: Tool = { name: 'wind' }
const both = { tools: [tide, more] }
const hosted = [{ name: 'web_search', at: 'tools[1]' }]

describe('which tool', () => {
  type Row = [what: string, given: Partial<CanonicalRequest>, choice: unknown, warnings: string[]]
  test.each<Row>([
    ['nothing said', both, undefined, []],
    ['auto', { ...both, toolChoice: { mode: 'auto' } }, { type: 'auto' }, []],
    ['none', { ...both, toolChoice: { mode: 'none' }, parallelCalls: false }, { type: 'none' }, []],
    ['required', { ...both, toolChoice: { mode: 'required' } }, { type: 'any' }, []],
    ['one', { ...both, toolChoice: { mode: 'tool', name: 'wind' } }, { type: 'tool', name: 'wind' }, []],
    ['one at a time', { ...both, parallelCalls: false }, { type: 'auto', disable_parallel_tool_use: true }, []],
    ['auto or none without tools', { toolChoice: { mode: 'auto' }, parallelCalls: false }, undefined, []],
    [
      'some',
      { ...both, toolChoice: { mode: 'allowed', required: true, names: ['wind'] } },
      { type: 'any' },
      ['toolChoice;changed'],
    ],
  ])('%s', (_, given, choice, warnings) => {
    const sent = written(given)
    expect(sent.body.tool_choice).toEqual(choice)
    expect(sent.warnings).toEqual(warnings)
  })

  test('some of them: the others are not sent', () => {
    const sent = written({ ...both, toolChoice: { mode: 'allowed', required: false, names: ['wind'] } })
    expect(sent.body.tools).toEqual([{ name: 'wind', input_schema: { type: 'object', properties: {} } }])
  })

  test.each<[what: string, given: Partial<CanonicalRequest>, param: string]>([
    ['required without tools', { toolChoice: { mode: 'required' } }, 'tool_choice'],
    ['one that is not there', { ...both, toolChoice: { mode: 'tool', name: 'sun' } }, 'tool_choice'],
    [
      'from another dialect',
      { from: originOf('generate-content'), toolChoice: { mode: 'required' } },
      'toolConfig.functionCallingConfig',
    ],
  ])('%s is an error', (_, given, param) => {
    expect(mistakeOf(given)).toMatchObject({ code: 'bad_request', param })
  })
})

describe('tools that another vendor runs', () => {
  test('are left out where others remain', () => {
    const sent = written({ tools: [tide], hostedTools: hosted })
    expect(sent.warnings).toEqual(['tools;dropped'])
    expect(sent.body.tools).toHaveLength(1)
  })
  test('are rejected by name where none remains, or where one is forced', () => {
    expect(mistakeOf({ hostedTools: hosted })).toMatchObject({
      code: 'unsupported_parameter',
      param: 'tools[1]',
      message: expect.stringContaining('web_search'),
    })
    const toolChoice = { mode: 'hosted', name: 'web_search' } as const
    expect(mistakeOf({ tools: [tide], hostedTools: hosted, toolChoice })).toMatchObject({ param: 'tool_choice' })
  })
})

describe('how a tool is written', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } }
  test.each<[what: string, tool: Tool, expected: object, wrapped?: string[]]>([
    [
      'a root that does not say what it is',
      { name: 'a', schema: { properties: {} } },
      { name: 'a', input_schema: { type: 'object', properties: {} } },
    ],
    [
      'a description',
      { name: 'a', description: 'A.', schema, strict: false },
      { name: 'a', description: 'A.', input_schema: schema },
    ],
    [
      'strict',
      { name: 'a', schema, strict: true },
      {
        name: 'a',
        input_schema: {
          type: 'object',
          properties: { n: { type: 'integer', description: '{"minimum":1}' } },
          additionalProperties: false,
        },
        strict: true,
      },
    ],
    [
      'free text',
      { name: 'a', description: 'A.', custom: { grammar: { syntax: 'lark', definition: 'start: "x"' } } },
      {
        name: 'a',
        description: 'A.\n\n`input` must fit this lark grammar:\nstart: "x"',
        input_schema: {
          type: 'object',
          properties: { input: { type: 'string' } },
          required: ['input'],
          additionalProperties: false,
        },
      },
      ['a'],
    ],
  ])('%s', (_, tool, expected, wrapped = []) => {
    const sent = written({ tools: [tool] })
    expect(sent.body.tools).toEqual([expected])
    expect(sent.wrapped).toEqual(wrapped)
    expect(sent.warnings).toEqual([])
  })

  test('strict where the model has none', () => {
    const sent = written({ tools: [{ ...tide, strict: true }] }, { model: 'claude-sonnet-4-20250514' })
    expect(sent.body.tools).toEqual([{ name: 'tide', input_schema: tide.schema }])
    expect(sent.warnings).toEqual(['tools;changed'])
  })

  test('names that the vendor does not take: changed in tools, choice and history alike', () => {
    const { body } = written({
      tools: [{ name: 'mcp.sea:tide/now' }, { name: 'mcp_sea_tide_now' }],
      toolChoice: { mode: 'tool', name: 'mcp.sea:tide/now' },
      turns: [
        user(text('q')),
        assistant({ ...call('a'), name: 'mcp.sea:tide/now' } as never),
        user(result('a', plain('x'))),
      ],
    })
    const names = (body.tools as { name: string }[]).map((tool) => tool.name)
    expect(names[1]).toBe('mcp_sea_tide_now')
    expect(names[0]).toMatch(/^mcp_sea_tide_now_[a-z0-9]{6}$/)
    expect(body.tool_choice).toEqual({ type: 'tool', name: names[0] })
    expect(body.messages).toMatchObject([{}, { content: [{ name: names[0] }] }, {}])
  })

  test('a custom call of the history is wrapped the same way', () => {
    const turns = [user(text('q')), assistant(call('a', 'ls -l', true)), user(result('a', plain('x')))]
    expect(written({ turns }).body.messages).toMatchObject([{}, { content: [{ input: { input: 'ls -l' } }] }, {}])
  })
})
