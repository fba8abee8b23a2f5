import { describe, expect, test } from 'bun:test'
import { decodeRequest } from './decode-request.ts'

type Body = Record<string, unknown>

const tool = (name: string, more: Body = {}): Body => ({ name, input_schema: { type: 'object' }, ...more })
const deferred = (name: string): Body => tool(name, { defer_loading: true })
const call = (id: string, name: string): Body => ({ type: 'tool_use', id, name, input: {} })
const result = (id: string, content: unknown): Body => ({ type: 'tool_result', tool_use_id: id, content })
const reference = (name: string): Body => ({ type: 'tool_reference', tool_name: name })

const read = (tools: Body[], more: Body = {}) =>
  decodeRequest({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'q' }], tools, ...more })

const SEARCHED: Body = {
  messages: [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: [call('a', 'search'), call('b', 'used')] },
    { role: 'user', content: [result('a', [reference('found'), reference('gone')]), result('b', 'done')] },
  ],
}

const WARNED = ['tools.defer_loading']

describe('tools that the model sees', () => {
  test.each<[what: string, tools: Body[], more: Body, seen: readonly string[], untranslated: readonly string[]]>([
    ['none is found yet', [tool('search'), deferred('waits')], {}, ['search'], []],
    [
      'some are found, some were called before',
      [tool('search'), deferred('found'), deferred('waits'), deferred('used')],
      ...([SEARCHED, ['search', 'found', 'used'], []] as const),
    ],
    [
      'one is to be called now',
      [tool('search'), deferred('waits'), deferred('other')],
      ...([{ tool_choice: { type: 'tool', name: 'waits' } }, ['search', 'waits'], []] as const),
    ],
    [
      'the search is the vendor’s: no other vendor would find them',
      [tool('plain'), deferred('waits'), { type: 'tool_search_tool_regex_20251119', name: 'search' }],
      ...([{}, ['plain', 'waits'], WARNED] as const),
    ],
    ['there is nothing to search with', [deferred('waits')], {}, ['waits'], WARNED],
  ])('%s', (_, tools, more, seen, untranslated) => {
    const request = read(tools, more)
    expect(request.tools.map(({ name }) => name)).toEqual([...seen])
    expect(request.untranslated).toEqual([...untranslated])
  })
})

test('what a search found is said in its result', () => {
  expect(read([tool('search'), deferred('found')], SEARCHED).turns.at(-1)?.parts[0]).toMatchObject({
    type: 'result',
    parts: [{ text: 'The tool found can be called now.' }, { text: 'The tool gone can be called now.' }],
  })
})
