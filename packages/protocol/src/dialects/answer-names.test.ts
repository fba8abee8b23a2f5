import { expect, test } from 'bun:test'
import { bytesOf, bufferCodec as codec } from '../../fixtures/buffer-codec.ts'
import { answerNames, temperatureOf } from './answer-names.ts'

const NONE = { id: undefined, model: undefined }

test.each<[string, unknown, object]>([
  ['a whole answer', { id: 'a-1', model: 'm-1', choices: [] }, { id: 'a-1', model: 'm-1' }],
  ['other names', { responseId: 'a-1', modelVersion: 'm-1' }, { id: 'a-1', model: 'm-1' }],
  ['the first event of a stream', { type: 't', message: { id: 'a-1', model: 'm-1' } }, { id: 'a-1', model: 'm-1' }],
  ['and of another', { type: 't', response: { id: 'a-1', model: 'm-1' } }, { id: 'a-1', model: 'm-1' }],
  ['an id alone', { id: 'a-1' }, { id: 'a-1', model: undefined }],
  ['empty ones', { id: '', model: '' }, NONE],
  ['no texts', { id: 1, model: null }, NONE],
  ['words of the model', { choices: [{ message: { id: 'said', model: 'said' } }], args: { id: 'said' } }, NONE],
  ['a sentence in place of a name', { id: 'what the model said' }, NONE],
  ['a text in place of a name', { id: 'x'.repeat(129) }, NONE],
  ['deeper than an answer stands', { message: { message: { id: 'said' } } }, NONE],
  ['no object', [{ id: 'said' }], NONE],
])('%s', (_, answer, expected) => {
  expect(answerNames(bytesOf(JSON.stringify(answer)), codec)).toEqual(expected as typeof NONE)
})

test('what is no JSON has no names', () => {
  expect(answerNames(bytesOf('{"id":"a"'), codec)).toEqual(NONE)
})

test.each([
  [{ temperature: 0.2 }, 0.2],
  [{ generationConfig: { temperature: 0 } }, 0],
  [{ temperature: null, generationConfig: null }, undefined],
  [{ temperature: 'hot' }, undefined],
])('the temperature of %j', (body, expected) => {
  expect(temperatureOf(body)).toBe(expected)
})
