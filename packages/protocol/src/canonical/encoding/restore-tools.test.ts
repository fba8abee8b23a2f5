import { describe, expect, test } from 'bun:test'
import { NO_CHANGES } from '../../../fixtures/sent-tools.ts'
import type { StreamEvent } from '../event.ts'
import { type Block, type CanonicalReply, fold, unfold } from '../reply.ts'
import { restoreReply, restoringEmit, type SentTools } from './restore-tools.ts'

const call = (name: string, text: string, custom = false, id = `call_${name}`): Block => ({
  type: 'call',
  id,
  name,
  arguments: text,
  custom,
})
const text: Block = { type: 'text', text: 'Let me look.', citations: [] }

const search: Block = { type: 'search', queries: ['tide'], results: [{ url: 'https://a.example' }] }

const replyOf = (...blocks: Block[]): CanonicalReply => ({
  id: 'a',
  usage: undefined,
  omitted: [],
  choices: [{ blocks, stop: { raw: 'stop', reason: 'tool' } }],
})

function restoredStream(reply: CanonicalReply, tools: SentTools): CanonicalReply {
  const events: StreamEvent[] = []
  const emit = restoringEmit((event) => events.push(event), tools)
  for (const event of unfold(reply)) emit(event)
  return fold(events)
}

const ROWS: readonly (readonly [string, Partial<SentTools>, readonly Block[], readonly Block[]])[] = [
  ['nothing was changed', {}, [text, call('wind', '{}')], [text, call('wind', '{}')]],
  ['a search that was asked for', { hidesSearches: false }, [search, text], [search, text]],
  ['a search that was not asked for', { hidesSearches: true }, [text, search, text], [text, text]],
  [
    'a name that had to be changed',
    { changed: new Map([['mcp_wind', 'mcp.wind']]) },
    [call('mcp_wind', '{"a":1}'), call('rain', '{}')],
    [call('mcp.wind', '{"a":1}', false, 'call_mcp_wind'), call('rain', '{}')],
  ],
  [
    'a custom tool that was sent as a function',
    { wrapped: new Set(['log']), customs: new Set(['log']) },
    [call('log', '{"input":"ship \\"Ada\\""}')],
    [call('log', 'ship "Ada"', true)],
  ],
  [
    'a model that did not keep to the one text',
    { wrapped: new Set(['log']), customs: new Set(['log']) },
    [call('log', '{"line":1}')],
    [call('log', '{"line":1}', true)],
  ],
  [
    'a custom call that the caller knows',
    { customs: new Set(['log']) },
    [text, call('log', 'ship "Ada"', true)],
    [text, call('log', 'ship "Ada"', true)],
  ],
  [
    'a custom call that the caller has never heard of',
    { customs: new Set() },
    [text, call('log', 'ship "Ada"', true), call('wind', '{"a":1}')],
    [text, call('log', '{"input":"ship \\"Ada\\""}'), call('wind', '{"a":1}')],
  ],
  [
    'a list that was requested inside an object',
    { valueInObject: true },
    [{ ...text, text: '{"value":["Ada"]}' }, call('wind', '{}')],
    [{ ...text, text: '["Ada"]' }, call('wind', '{}')],
  ],
  [
    'one call at a time',
    { firstCallOnly: true },
    [call('wind', '{}'), text, call('rain', '{}')],
    [call('wind', '{}'), text],
  ],
]

describe.each(ROWS)('%s', (_, tools, came, expected) => {
  test('unstreamed', () => {
    expect(restoreReply(replyOf(...came), { ...NO_CHANGES, ...tools })).toEqual(replyOf(...expected))
  })

  test('streamed', () => {
    expect(restoredStream(replyOf(...came), { ...NO_CHANGES, ...tools })).toEqual(replyOf(...expected))
  })
})
