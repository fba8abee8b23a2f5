// What is known of a service goes before what the model's name suggests, field by field, translated and passed through.
import { describe, expect, test } from 'bun:test'
import { targetOf } from '../../../../fixtures/chat/harness.ts'
import { edit } from '../../../../fixtures/shared/pass-through-requests.ts'
import type { CanonicalRequest } from '../../../canonical/request.ts'
import type { ChatService } from '../../chat-service.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeRequest } from './encode-request.ts'
import { serviceOf } from './services.ts'

test('what is known replaces the guess, and the rest of the guess stays', () => {
  const guess = serviceOf('deepseek-chat')
  expect(serviceOf('deepseek-chat', { cap: 'max_completion_tokens' })).toEqual({
    ...guess,
    cap: 'max_completion_tokens',
  })
  expect(serviceOf('deepseek-chat', {})).toEqual(guess)
})

test('generations of a family may differ', () => {
  expect(serviceOf('kimi-k2.6').effort).toBe('thinking-switch')
  expect(serviceOf('moonshotai/Kimi-K3')).toEqual({ ...serviceOf('kimi-k2.6'), effort: 'low-high-max' })
})

const HI = { model: 'some-model', messages: [{ role: 'user', content: 'Hi.' }] }

function written(service: Partial<ChatService>, more: Partial<CanonicalRequest>) {
  const target = targetOf('some-model', { service })
  const { body } = encodeRequest({ ...decodeRequest(HI), ...more }, target)
  const { model: _model, messages: _messages, ...fields } = body
  return { fields, warnings: target.warnings }
}

const TABLE: [Partial<ChatService>, Partial<CanonicalRequest>, fields: object, warnings?: string[]][] = [
  [{ cap: 'max_tokens' }, { sampling: { maxOutput: 3 } }, { max_tokens: 3 }],
  [{ endUser: 'user' }, { endUser: 'u' }, { user: 'u' }],
  [{ endUser: 'none' }, { endUser: 'u' }, {}, ['endUser;dropped']],
  [{ endUser: 'none' }, {}, {}],
  [{ seed: 'random_seed' }, { sampling: { seed: 3 } }, { random_seed: 3 }],
  [{ streamUsage: 'always' }, { stream: true }, { stream: true }],
  [{ effort: 'reasoning' }, { reasoning: { effort: 'low' } }, { reasoning: { effort: 'low' } }],
  [{ effort: 'reasoning' }, { reasoning: { mode: 'off' } }, { reasoning: { effort: 'none' } }],
  [{ effort: 'reasoning' }, { reasoning: { mode: 'auto' } }, {}],
  [{ effort: 'low-high-max' }, { reasoning: { effort: 'medium' } }, { reasoning_effort: 'high' }],
  [{ effort: 'low-high-max' }, { reasoning: { mode: 'off' } }, { reasoning_effort: 'low' }, ['reasoning;changed']],
  [{ effort: 'low-high-max' }, { reasoning: { mode: 'on' } }, {}],
  [{ effort: 'enable_thinking' }, { reasoning: { mode: 'on' } }, { enable_thinking: true }],
  [{ effort: 'enable_thinking' }, { reasoning: { mode: 'off' } }, { enable_thinking: false }],
  [{ effort: 'enable_thinking' }, { reasoning: { mode: 'auto' } }, {}],
  [{ effort: 'enable_thinking' }, { reasoning: { effort: 'high' } }, { enable_thinking: true }, ['reasoning;changed']],
  [
    { rejects: ['logprobs', 'logitBias'] },
    { sampling: { logprobs: { top: 2 }, logitBias: { 5: 1 }, topP: 1 } },
    { top_p: 1 },
    ['logprobs;dropped', 'logitBias;dropped'],
  ],
]
test.each(TABLE)('translated for a service with %j: %j', (service, more, fields, warnings = []) => {
  expect(written(service, more)).toEqual({ fields: fields as Record<string, unknown>, warnings })
})

describe('passing through', () => {
  const after = (fields: object, edits: Parameters<typeof edit>[2]) => {
    const {
      model: _model,
      messages: _messages,
      ...rest
    } = JSON.parse(edit('chat', JSON.stringify({ ...HI, ...fields }), edits))
    return rest
  }
  const OLDER = { service: { cap: 'max_tokens' } } as const
  const NEWER = { service: { cap: 'max_completion_tokens' } } as const

  // A service that knows only the older name would ignore the newer: an answer without bounds.
  test.each([
    ['the newer name becomes the older', { max_completion_tokens: 9 }, OLDER, { max_tokens: 9 }],
    ['and is lowered', { max_completion_tokens: 9 }, { ...OLDER, maxOutput: 5 }, { max_tokens: 5 }],
    ['but never raised', { max_completion_tokens: 9 }, { ...OLDER, maxOutput: 50 }, { max_tokens: 9 }],
    ['the older stays, the newer goes', { max_tokens: 7, max_completion_tokens: 9 }, OLDER, { max_tokens: 7 }],
    [
      'of two the older is lowered',
      { max_tokens: 7, max_completion_tokens: 9 },
      { ...OLDER, maxOutput: 5 },
      { max_tokens: 5 },
    ],
    ['an older name of nothing', { max_tokens: null, max_completion_tokens: 9 }, OLDER, { max_tokens: 9 }],
    ['the older is left alone', { max_tokens: 9 }, OLDER, { max_tokens: 9 }],
    ['none and none', {}, OLDER, {}],
    ['a cap of ours, by the name that is known', {}, { ...OLDER, maxOutput: 5 }, { max_tokens: 5 }],
    ['a cap of ours, by the other name', {}, { ...NEWER, maxOutput: 5 }, { max_completion_tokens: 5 }],
    ["a caller's own name is good enough there", { max_tokens: 9 }, NEWER, { max_tokens: 9 }],
  ])('%s', (_, fields, edits, expected) => {
    expect(after(fields, edits)).toEqual(expected)
  })

  test('the end user is sent in the field that the service has for it', () => {
    expect(after({}, { endUser: 'u', service: { endUser: 'user' } })).toEqual({ user: 'u' })
    expect(after({}, { endUser: 'u', service: {} })).toEqual({ safety_identifier: 'u' })
  })
})
