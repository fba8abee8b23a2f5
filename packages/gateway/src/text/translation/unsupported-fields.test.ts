import { expect, test } from 'bun:test'
import { createUnsupportedFields, isAbout } from './unsupported-fields.ts'

const rejection = (message: string, param?: string) => ({
  code: 'bad_request' as const,
  message,
  ...(param === undefined ? {} : { param }),
})

test.each([
  ["Unsupported parameter: 'temperature' is not supported with this model.", undefined, 'temperature', true],
  ['Unsupported value', 'temperature', 'temperature', true],
  ['top_p: Extra inputs are not permitted', undefined, 'top_p', true],
  ['Unknown name "topK" at \'generation_config\'', undefined, 'generationConfig.topK', true],
  ['Invalid value', 'generationConfig.topK', 'generationConfig.topK', true],
  ['the temperature_unit is not known', undefined, 'temperature', false],
  ['messages must not be empty', 'messages', 'temperature', false],
])('%s (%s) is about %s: %p', (message, param, field, expected) => {
  expect(isAbout(rejection(message, param), field)).toBe(expected)
})

test('a field that one model of one upstream rejected is still sent to others', () => {
  const rejected = createUnsupportedFields()
  rejected.note('main', 'model-a', 'temperature')
  expect(rejected.has('main', 'model-a', 'temperature')).toBe(true)
  expect(rejected.has('main', 'model-b', 'temperature')).toBe(false)
  expect(rejected.has('other', 'model-a', 'temperature')).toBe(false)
  expect(rejected.has('main', 'model-a', 'topP')).toBe(false)
  rejected.note('main', 'model-a', 'topP')
  expect([...rejected.of('main', 'model-a')]).toEqual(['temperature', 'topP'])
  expect([...rejected.of('main', 'model-b')]).toEqual([])
})
