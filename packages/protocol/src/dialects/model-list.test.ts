import { describe, expect, test } from 'bun:test'
import {
  generateContentModelEntry,
  generateContentModelList,
  type ListedModel,
  modelEntry,
  modelList,
} from './model-list.ts'

const model = (id: string): ListedModel => ({ id, created: 1_767_225_600, owner: 'vendor', displayName: id })
const written = (entry: object, id: string) => ({ id, json: JSON.stringify(entry) })
const MODELS = ['a', 'b', 'c', 'd', 'e'].map((id) => written(modelEntry(model(id)), id))
const full: ListedModel = {
  ...model('demo'),
  displayName: 'Demo',
  context: 200_000,
  maxOutput: 64_000,
}

test('an entry has the fields of both protocols', () => {
  expect(modelEntry(full)).toEqual({
    id: 'demo',
    object: 'model',
    type: 'model',
    created: 1_767_225_600,
    created_at: '2026-01-01T00:00:00Z',
    owned_by: 'vendor',
    display_name: 'Demo',
    lifecycle: 'active',
    line: null,
    max_input_tokens: 200_000,
    max_tokens: 64_000,
    capabilities: null,
    deprecated_at: null,
    retires_at: null,
  })
  expect(modelEntry(model('x'))).toMatchObject({ max_input_tokens: null, max_tokens: null })
})

describe('pages', () => {
  const PAGES: [page: Parameters<typeof modelList>[1], ids: string, more: boolean][] = [
    [undefined, 'abcde', false],
    [{}, 'abcde', false],
    [{ limit: 2 }, 'ab', true],
    [{ limit: 2, afterId: 'b' }, 'cd', true],
    [{ limit: 2, afterId: 'd' }, 'e', false],
    [{ limit: 5 }, 'abcde', false],
    [{ limit: 0 }, 'a', true],
    [{ limit: -1 }, 'a', true],
    [{ limit: Number.NaN }, 'abcde', false],
    [{ afterId: 'c' }, 'de', false],
    [{ afterId: 'e' }, '', false],
    [{ afterId: 'gone' }, '', false],
    [{ beforeId: 'd', limit: 2 }, 'bc', true],
    [{ beforeId: 'c', limit: 2 }, 'ab', false],
    [{ beforeId: 'a' }, '', false],
    [{ beforeId: 'gone' }, '', false],
  ]
  test.each(PAGES)('%j', (page, ids, more) => {
    const list = JSON.parse(modelList(MODELS, page))
    expect(list.data.map(({ id }: { id: string }) => id).join('')).toBe(ids)
    expect(list).toMatchObject({
      object: 'list',
      has_more: more,
      first_id: ids[0] ?? null,
      last_id: ids.at(-1) ?? null,
    })
  })
})

test('the generate-content list', () => {
  const entry = generateContentModelEntry(full)
  expect(JSON.parse(generateContentModelList([written(entry, 'demo')]))).toEqual({ models: [entry] })
  expect(generateContentModelEntry({ ...full, protocols: ['chat', 'generate-content'] })).toMatchObject({
    name: 'models/demo',
    displayName: 'Demo',
    inputTokenLimit: 200_000,
    outputTokenLimit: 64_000,
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent'],
  })
  expect(generateContentModelEntry(model('x'))).not.toHaveProperty('inputTokenLimit')
  expect(generateContentModelEntry({ ...full, protocols: ['video-tasks'] }).supportedGenerationMethods).toEqual([])
})
