import { expect, test } from 'bun:test'
import { wrong } from '../../../canonical/reading.ts'
import { inCallersSpelling } from './fields.ts'

test.each([
  ['generationConfig.topK', { generationConfig: { topK: -1 } }, 'generationConfig.topK'],
  ['generationConfig.topK', { generation_config: { top_k: -1 } }, 'generation_config.top_k'],
  ['generationConfig.topK', { generationConfig: { top_k: -1 } }, 'generationConfig.top_k'],
  [
    'contents[0].parts[1].inlineData',
    { contents: [{ parts: [{}, { inline_data: 1 }] }] },
    'contents[0].parts[1].inline_data',
  ],
  [
    'contents[0].parts[0].inlineData.mimeType',
    { contents: { parts: { inline_data: {} } } },
    'contents[0].parts[0].inline_data.mime_type',
  ],
  [
    'contents[0].parts[0].fileData.fileUri',
    { contents: [{ parts: [{ fileData: {} }] }] },
    'contents[0].parts[0].fileData.fileUri',
  ],
  ['labels.aB', { labels: { aB: 1 } }, 'labels.aB'],
  ['systemInstruction', { systemInstruction: 7 }, 'systemInstruction'],
])('%s in %j', (path, body, expected) => {
  const told = inCallersSpelling(wrong(path, `${path} is wrong`), body)
  expect(told).toMatchObject({ info: { param: expected, message: `${expected} is wrong` } })
})

test('other errors are left as they are', () => {
  const error = new Error('x')
  expect(inCallersSpelling(error, {})).toBe(error)
})
