import { describe, expect, test } from 'bun:test'
import type { Block } from '@trivium/protocol/canonical/reply.ts'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import { createSeals, hasForeignReasoning } from './seals.ts'

const seals = createSeals('a master secret of a test')

describe('a sealed signature', () => {
  const sealed = seals.seal(7n, 'main', 'c2lnbmF0dXJl: ü')

  test('comes back for the same account and upstream', () => {
    expect(sealed).toMatch(/^gw1\.[A-Za-z0-9_-]+$/)
    expect(sealed).not.toContain('c2lnbmF0dXJl')
    expect(seals.unseal(7n, 'main', sealed)).toBe('c2lnbmF0dXJl: ü')
    expect(createSeals('a master secret of a test').unseal(7n, 'main', sealed)).toBe('c2lnbmF0dXJl: ü')
  })

  test.each([
    ['another account', 8n, 'main', sealed],
    ['another upstream', 7n, 'other', sealed],
    ['altered', 7n, 'main', `${sealed.slice(0, -2)}AA`],
    ['cut', 7n, 'main', sealed.slice(0, 12)],
    ['nothing but the mark', 7n, 'main', 'gw1.'],
    ["a vendor's own", 7n, 'main', 'RXJVQkNrZ0lDeEFDR0FJaVFB'],
  ])('cannot be opened: %s', (_, account, upstream, text) => {
    expect(seals.unseal(account, upstream, text)).toBeUndefined()
  })

  test('cannot be opened with another master secret', () => {
    expect(createSeals('another').unseal(7n, 'main', sealed)).toBeUndefined()
  })
})

test('the tag of an account is its own, always the same, and depends on the master secret', () => {
  expect(seals.tagOf(7n)).toMatch(/^[A-Za-z0-9_-]{32}$/)
  expect(seals.tagOf(7n)).toBe(createSeals('a master secret of a test').tagOf(7n))
  expect(seals.tagOf(7n)).not.toBe(seals.tagOf(8n))
  expect(seals.tagOf(7n)).not.toBe(createSeals('another').tagOf(7n))
})

describe('sealed text is recognised when a client sends it back', () => {
  const blocks: Record<string, Block> = {
    'signed reasoning': { type: 'reasoning', text: 'Hm.', style: 'summary', signature: 'signature' },
    'encrypted reasoning': { type: 'redacted', data: 'data' },
    'a signed call': { type: 'call', id: 'call_1', name: 'f', arguments: '{}', custom: false, signature: 'signature' },
  }
  const answering = {
    id: 'a1',
    created: 1,
    model: 'm',
    showUsage: true,
    hideReasoning: false,
    namespaces: new Map(),
    echo: {},
    seal: (value: string) => seals.seal(7n, 'main', value),
    estimate: () => ({ input: 1, output: 1 }),
  }
  for (const [what, block] of Object.entries(blocks)) {
    for (const dialect of Object.values(TEXT_DIALECTS)) {
      const stop = { raw: 'stop', reason: 'end' } as const
      const reply = { id: undefined, choices: [{ blocks: [block], stop }], usage: undefined, omitted: [] }
      const body = JSON.stringify(dialect.encodeReply(reply, answering))
      // Chat has a place for the signatures of calls alone.
      const isCarried = dialect.id !== 'chat' || block.type === 'call'
      test(`${what}, ${dialect.id}`, () => {
        expect(hasForeignReasoning(Buffer.from(body), dialect.id)).toBe(isCarried)
      })
    }
  }

  test('similar text is not', () => {
    expect(hasForeignReasoning(Buffer.from('{"input":"what is gw1. for?"}'), 'responses')).toBe(false)
  })
})

describe('reasoning of another upstream in a conversation', () => {
  const sealed = seals.seal(7n, 'main', '')
  const inBase64 = (text: string) => Buffer.from(text).toString('base64')
  const has = (id: TextDialectId, history: object) => hasForeignReasoning(Buffer.from(JSON.stringify(history)), id)
  const thinking = (signature: string) => ({
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'b', signature }] },
    ],
  })
  const thought = (item: object) => ({
    input: [
      { role: 'user', content: 'a' },
      { type: 'reasoning', summary: [], ...item },
    ],
  })
  const signedPart = (thoughtSignature: string) => ({
    contents: [
      { role: 'user', parts: [{ text: 'a' }] },
      { role: 'model', parts: [{ text: 'b', thoughtSignature }] },
    ],
  })
  const call = (thought_signature: string) => ({
    messages: [
      { role: 'user', content: 'a' },
      {
        role: 'assistant',
        tool_calls: [
          {
            id: 'c',
            type: 'function',
            function: { name: 'n', arguments: '{}' },
            extra_content: { google: { thought_signature } },
          },
        ],
      },
    ],
  })

  test.each([
    ['messages', thinking(sealed), true],
    ['messages', thinking('EqQBCkYIBBgC'), false],
    // A service of this dialect that signs nothing gets its reasoning back unchanged.
    ['messages', thinking(''), false],
    ['responses', thought({ id: 'rs_1', encrypted_content: sealed }), true],
    ['responses', thought({ id: 'rs_1', encrypted_content: `after.${sealed}` }), true],
    ['responses', thought({ id: 'rs_1', encrypted_content: `redacted.${sealed}` }), true],
    ['responses', thought({ id: 'rs_1', encrypted_content: 'gAAAAABo' }), false],
    ['responses', thought({ id: 'rs_1', encrypted_content: `text.${sealed}` }), true],
    // Its text is left out as the request passes through.
    ['responses', thought({ id: 'rs_0546ea5d80c00000_0' }), false],
    ['responses', thought({ id: 'rs_68af4030baa48193b0b43b4c2a176a1a0e6967589f080e77' }), false],
    ['generate-content', signedPart(inBase64(sealed)), true],
    ['generate-content', signedPart(inBase64(`redacted:${sealed}`)), true],
    ['generate-content', signedPart('CiQBveKj'), false],
    ['chat', call(sealed), true],
    ['chat', call('CiQBveKj'), false],
  ] as const)('%s, %j: %p', (id, history, expected) => {
    expect(has(id, history)).toBe(expected)
  })
})
