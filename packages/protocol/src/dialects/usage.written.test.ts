// Every count that vendors price separately, as it is written for clients whose dialect has a field for it.
import { describe, expect, test } from 'bun:test'
import { bytesOf } from '../../fixtures/buffer-codec.ts'
import { eventsOf, framesOf, testAnswering } from '../../fixtures/matrix.ts'
import type { Id } from '../../fixtures/shared/pass-through-requests.ts'
import { fold, unfold } from '../canonical/reply.ts'
import { checkedUsage, type Usage } from '../canonical/usage.ts'
import { TEXT_DIALECTS } from './index.ts'

const NOTHING = {
  input: undefined,
  output: undefined,
  cachedInput: undefined,
  cacheWrite: undefined,
  reasoning: undefined,
}

describe('for clients', () => {
  const USAGE = checkedUsage({
    input: 90,
    output: 40,
    cachedInput: 20,
    cacheWrite: 10,
    reasoning: 5,
    cacheWriteLong: 6,
    audioInput: 30,
    imageInput: 10,
    cachedAudioInput: 4,
    audioOutput: 15,
    imageOutput: 5,
    tier: 'priority',
    upstreamCost: '0.1',
    toolCalls: { web_search: 2, web_fetch: 1, file_search: 3 },
  })
  /** What the dialect has no word for. */
  const LOST: Record<Id, (keyof Usage)[]> = {
    chat: ['cacheWriteLong', 'cachedAudioInput', 'toolCalls'],
    responses: ['cacheWriteLong', 'audioInput', 'imageInput', 'cachedAudioInput', 'audioOutput', 'imageOutput'],
    messages: ['audioInput', 'imageInput', 'cachedAudioInput', 'audioOutput', 'imageOutput'],
    'generate-content': ['cacheWrite', 'cacheWriteLong', 'toolCalls'],
  }
  const KEPT_CALLS: Partial<Record<Id, Usage['toolCalls']>> = {
    responses: { web_search: 2 },
    messages: { web_search: 2, web_fetch: 1 },
  }
  const reply = (usage: Usage) => ({
    id: 'x',
    choices: [{ blocks: [{ type: 'text' as const, text: 'hi', citations: [] }], stop: undefined }],
    usage,
    omitted: [],
  })
  const readAgain = (id: Id, usage: Usage): (Usage | undefined)[] => {
    const dialect = TEXT_DIALECTS[id]
    const decoded = dialect.decodeReply(dialect.encodeReply(reply(usage), testAnswering))
    const frames = framesOf(dialect, unfold(reply(usage)))
    return [decoded.ok ? decoded.reply.usage : undefined, fold(eventsOf(dialect, bytesOf(frames))).usage]
  }

  test.each(Object.keys(LOST) as Id[])('%s says all that it has words for, and never what the operator pays', (id) => {
    const expected: Record<string, unknown> = { ...USAGE, toolCalls: KEPT_CALLS[id] }
    for (const lost of [...LOST[id], 'upstreamCost']) if (lost !== 'toolCalls') expected[lost] = undefined
    const [whole, streamed] = readAgain(id, USAGE)
    expect(whole).toEqual(expected as Usage)
    // A stream of the messages dialect tells the tier and the split only at its beginning, before they are known.
    const early = id === 'messages' ? { tier: undefined, cacheWriteLong: undefined } : {}
    expect(streamed).toEqual({ ...expected, ...early } as Usage)
    expect(JSON.stringify(TEXT_DIALECTS[id].encodeReply(reply(USAGE), testAnswering))).not.toContain('cost')
  })

  test.each<[Id, string, string | undefined]>([
    ['chat', 'standard', 'default'],
    ['chat', 'batch', undefined],
    ['responses', 'standard', 'default'],
    ['messages', 'default', 'standard'],
    ['messages', 'flex', undefined],
    ['messages', 'fast', 'fast'],
    ['generate-content', 'default', undefined],
    ['generate-content', 'flex', 'flex'],
  ])("%s: the tier '%s' in its own word", (id, tier, word) => {
    const [whole] = readAgain(id, checkedUsage({ ...NOTHING, input: 1, output: 1, tier }))
    expect(whole?.tier).toBe(word as string)
  })

  test('a responses client reads the tier that it was served at, not the one that it asked for', () => {
    const answering = { ...testAnswering, echo: { service_tier: 'auto' } }
    const written = TEXT_DIALECTS.responses.encodeReply(reply(USAGE), answering)
    expect(written.service_tier).toBe('priority')
  })
})
