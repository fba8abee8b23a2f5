import { expect, test } from 'bun:test'
import { ask, type Id, read } from '../../../../fixtures/shared/pass-through-requests.ts'
import { OPENING } from './opening.ts'

const TOOL: Record<Id, string> = {
  chat: '"tools":[{"type":"function","function":{"name":"f"}}]',
  responses: '"tools":[{"type":"function","name":"f","parameters":{}}]',
  messages: '"tools":[{"name":"f","input_schema":{"type":"object"}}]',
  'generate-content': '"tools":[{"functionDeclarations":[{"name":"f"}]}]',
}

test.each(
  Object.entries(TOOL) as [Id, string][],
)('%s: known by its first words where reasoning may come', (id, tools) => {
  expect(read(id, ask(id, tools)).opening()).toBe('hi')
  expect(read(id, ask(id)).opening()).toBeUndefined()
})

test.each<[Id, string]>([
  ['chat', '"reasoning_effort":"low"'],
  ['chat', '"reasoning":{"enabled":true}'],
  ['chat', '"thinking":{"type":"enabled"}'],
  ['chat', '"functions":[{"name":"f"}]'],
  ['responses', '"reasoning":{"effort":"low"}'],
  ['responses', '"include":["reasoning.encrypted_content"]'],
  ['messages', '"thinking":{"type":"adaptive"}'],
  ['generate-content', '"generationConfig":{"thinkingConfig":{"includeThoughts":true}}'],
])('%s requests reasoning with %s', (id, member) => {
  expect(read(id, ask(id, member)).opening()).toBe('hi')
})

const IMAGE: Record<Id, string> = {
  chat: '"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}]',
  responses: '"input":[{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]}]',
  messages:
    '"max_tokens":9,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}]',
  'generate-content': '"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}]',
}

test.each(
  Object.entries(IMAGE) as [Id, string][],
)('%s that begins without a word is not known by one', (id, members) => {
  expect(read(id, `{"model":"m",${TOOL[id]},${members}}`).opening()).toBeUndefined()
})

const chat = (...messages: object[]): string =>
  JSON.stringify({ model: 'm', messages, tools: [{ type: 'function', function: { name: 'f' } }] })
const SYSTEM = { role: 'system', content: 'Be brief, and never say ["user"].' }
const FIRST = { role: 'user', content: 'Why, "indeed"?\n' }
const LONG = 'x'.repeat(40_000)

test.each<[string, string, string]>([
  ['instructions are passed over', chat(SYSTEM, FIRST), FIRST.content],
  ['what comes later changes nothing', chat(SYSTEM, FIRST, { role: 'assistant', content: LONG }), FIRST.content],
  [
    'parts are joined',
    chat({
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    }),
    'ab',
  ],
  ['only the beginning counts', chat({ role: 'user', content: 'y'.repeat(2_000) }), 'y'.repeat(OPENING)],
  ['no user at all', chat(SYSTEM), JSON.stringify([SYSTEM])],
])('a chat: %s', (_, json, opening) => {
  expect(read('chat', json).opening()).toBe(opening)
})

test('a chat with instructions that are too long to look behind is known by them', () => {
  const system = { role: 'system', content: LONG }
  const opening = read('chat', chat(system, FIRST)).opening()
  expect(opening).toBe(JSON.stringify([system]).slice(0, OPENING))
  expect(read('chat', chat(system, FIRST, FIRST)).opening()).toBe(opening)
})
