import { describe, expect, test } from 'bun:test'
import { requestOf, targetOf } from '../../../../fixtures/generate-content/harness.ts'
import { mistakeOf } from '../../../../fixtures/generate-content/requests.ts'
import type { CanonicalRequest, Tool, ToolChoice } from '../../../canonical/request.ts'
import { encodeRequest } from './encode-request.ts'

const TIDE: Tool = { name: 'tide' }
const PORTS: Tool = { name: 'ports' }
const SEARCH = { name: 'web_search', at: 'tools[1]' }

function write(more: Partial<CanonicalRequest>) {
  const { target, warnings } = targetOf()
  const { body, tools } = encodeRequest(requestOf(more), target)
  const declarations = (body.tools as { functionDeclarations: object[] }[] | undefined)?.[0]?.functionDeclarations
  return { body, tools, warnings, declarations, choice: body.toolConfig }
}

describe('the choice', () => {
  const CHOICES: [choice: ToolChoice, calling: object][] = [
    [{ mode: 'auto' }, { mode: 'AUTO' }],
    [{ mode: 'none' }, { mode: 'NONE' }],
    [{ mode: 'required' }, { mode: 'ANY' }],
    [
      { mode: 'tool', name: 'tide' },
      { mode: 'ANY', allowedFunctionNames: ['tide'] },
    ],
    [
      { mode: 'allowed', required: true, names: ['tide', 'ports'] },
      { mode: 'ANY', allowedFunctionNames: ['tide', 'ports'] },
    ],
    [
      { mode: 'allowed', required: false, names: ['ports', 'web_search'] },
      { mode: 'VALIDATED', allowedFunctionNames: ['ports'] },
    ],
  ]
  test.each(CHOICES)('%j', (toolChoice, functionCallingConfig) => {
    expect(write({ tools: [TIDE, PORTS], toolChoice }).choice).toEqual({ functionCallingConfig })
  })

  test.each([['auto'], ['none']] as const)('%s without tools is not sent', (mode) => {
    const { body, warnings } = write({ toolChoice: { mode } })
    expect(Object.keys(body)).toEqual(['contents'])
    expect(warnings).toEqual([])
  })

  const REJECTED: [choice: ToolChoice, tools: Tool[]][] = [
    [{ mode: 'required' }, []],
    [{ mode: 'tool', name: 'tide' }, []],
    [{ mode: 'tool', name: 'other' }, [TIDE]],
    [{ mode: 'allowed', required: true, names: ['other'] }, [TIDE]],
  ]
  test.each(REJECTED)('%j of %j is rejected', (toolChoice, tools) => {
    expect(mistakeOf(() => write({ tools, toolChoice })).code).toBe('bad_request')
  })
})

describe('hosted tools', () => {
  test('are left out beside others', () => {
    const { declarations, warnings } = write({ tools: [TIDE], hostedTools: [SEARCH] })
    expect(declarations).toEqual([{ name: 'tide' }])
    expect(warnings).toEqual(['tools;dropped'])
  })
  const REJECTED: [name: string, more: Partial<CanonicalRequest>, param: string][] = [
    ['alone', {}, 'tools[1]'],
    ['forced', { tools: [TIDE], toolChoice: { mode: 'hosted', name: 'web_search' } }, 'tool_choice'],
  ]
  test.each(REJECTED)('%s are rejected by name', (_, more, param) => {
    const mistake = mistakeOf(() => write({ hostedTools: [SEARCH], ...more }))
    expect(mistake).toMatchObject({ code: 'unsupported_parameter', param })
    expect(mistake.message).toContain('web_search')
  })
})

test('names under the rule of the vendor, and the way back', () => {
  const { declarations, tools, choice, body } = write({
    tools: [{ name: '1/do it' }, { name: '_1_do_it' }, { name: 'mcp.server:do' }],
    toolChoice: { mode: 'tool', name: '1/do it' },
    turns: [
      { role: 'user', parts: [{ type: 'text', text: 'a' }] },
      { role: 'assistant', parts: [{ type: 'call', id: 'x', name: '1/do it', arguments: '', custom: false }] },
      { role: 'user', parts: [{ type: 'result', callId: 'x', parts: [{ type: 'text', text: 'y' }] }] },
    ],
  })
  const sent = (declarations as { name: string }[])[0]?.name ?? ''
  expect(sent).toMatch(/^_1_do_it_[a-z0-9]{6}$/)
  expect(declarations).toEqual([{ name: sent }, { name: '_1_do_it' }, { name: 'mcp.server:do' }])
  expect(choice).toEqual({ functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [sent] } })
  expect(body.contents).toMatchObject([
    {},
    { parts: [{ functionCall: { name: sent } }] },
    { parts: [{ functionResponse: { name: sent } }] },
  ])
  expect(tools.changed).toEqual(new Map([[sent, '1/do it']]))
})

test('a tool of free text is a function of one text', () => {
  const grammar = { syntax: 'lark', definition: 'start: "x"' }
  const { declarations, tools, body } = write({
    tools: [{ name: 'sh', description: 'Runs it.', custom: { grammar } }],
    turns: [
      { role: 'user', parts: [{ type: 'text', text: 'a' }] },
      { role: 'assistant', parts: [{ type: 'call', id: 'x', name: 'sh', arguments: 'ls "-l"', custom: true }] },
    ],
  })
  expect(declarations).toEqual([
    {
      name: 'sh',
      description: 'Runs it.\n\nThe input must fit this lark grammar:\nstart: "x"',
      parametersJsonSchema: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
    },
  ])
  expect(tools.wrapped).toEqual(new Set(['sh']))
  expect(body.contents).toMatchObject([{}, { parts: [{ functionCall: { args: { input: 'ls "-l"' } } }] }])
})

test('one call at a time is seen to by the gateway', () => {
  const { tools, warnings } = write({ tools: [TIDE], parallelCalls: false })
  expect(tools.firstCallOnly).toBe(true)
  expect(warnings).toEqual(['parallelCalls;changed'])
  expect(write({ parallelCalls: false }).tools.firstCallOnly).toBe(false)
  expect(write({ tools: [TIDE], parallelCalls: true }).warnings).toEqual([])
})
