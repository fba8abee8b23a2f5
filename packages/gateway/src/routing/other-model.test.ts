import { expect, test } from 'bun:test'
import { isSameModel } from './other-model.ts'

test.each<[string, string, boolean]>([
  ['openai/text-embedding-3-small', 'text-embedding-3-small', true],
  ['text-embedding-3-small', 'Text-Embedding-3-Small', true],
  ['qwen/qwen3-embedding-8b:free', 'qwen/qwen3-embedding-8b', true],
  ['cohere/rerank-v3.5', 'rerank-v3.5-20251101', true],
  ['gemini-embedding', 'gemini-embedding-001', true],
  ['x/model', 'y/model-latest', true],
  ['cheap', 'dear', false],
  ['text-embedding-3-small', 'text-embedding-3-large', false],
  ['text-embedding-3', 'text-embedding-3-large', false],
  ['model', 'model-xl', false],
  ['model-8b', 'model-80b', false],
])('%s answered by %s: the same model: %p', (asked, answering, expected) => {
  expect(isSameModel(asked, answering)).toBe(expected)
})
