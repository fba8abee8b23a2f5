import { describe, expect, test } from 'bun:test'
import { TEXT_DIALECTS, type TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { encodePng } from '@trivium/sandbox/images/png.ts'
import { emptyRaster } from '@trivium/sandbox/images/raster.ts'
import { measure } from './measure.ts'

const USER = { role: 'user', content: 'Hello there.' }

const measured = (more: Record<string, unknown>, dialect: TextDialectId = 'messages') =>
  measure(
    TEXT_DIALECTS.messages.decodeRequest({ model: 'm', max_tokens: 1, messages: [USER], ...more }, undefined),
    dialect,
  )

const withContent = (content: unknown[], dialect?: TextDialectId) =>
  measured({ messages: [{ role: 'user', content }] }, dialect)

const imageOf = (data: string, type = 'image/png') => ({
  type: 'image',
  source: { type: 'base64', media_type: type, data },
})
const png = async (width: number, height: number): Promise<string> =>
  Buffer.from(await encodePng(emptyRaster(width, height))).toString('base64')

describe('texts', () => {
  test('system, messages, calls, results, reasoning and schemas are all counted', async () => {
    const { texts } = await measured({
      system: [{ type: 'text', text: 'the system' }],
      messages: [
        USER,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'a thought', signature: 's' },
            { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: { word: 'sea' } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'the result' }] },
      ],
      tools: [{ name: 'look_up', description: 'Looks a word up.', input_schema: { type: 'object', title: 'Word' } }],
      output_config: { format: { type: 'json_schema', schema: { title: 'Answer' } } },
    })
    const all = texts.join('\n')
    for (const part of [
      'the system',
      'Hello there.',
      'a thought',
      'look_up',
      'sea',
      'the result',
      'Looks a word',
      'Word',
    ])
      expect(all).toContain(part)
    expect(all).toContain('Answer')
  })

  test('documents of text are text, encoded or not', async () => {
    const data = Buffer.from('from base64').toString('base64')
    const { texts, media } = await withContent([
      { type: 'document', title: 'the title', source: { type: 'text', media_type: 'text/plain', data: 'plainly' } },
      { type: 'document', source: { type: 'base64', media_type: 'text/csv', data } },
    ])
    expect(texts).toEqual(expect.arrayContaining(['plainly', 'from base64', 'the title']))
    expect(media).toBe(0)
  })
})

describe('what vendors add', () => {
  test('for each message, each tool and once for all tools', async () => {
    const tool = { name: 'f', input_schema: { type: 'object' } }
    const overheads = async (dialect: TextDialectId) => [
      (await measured({}, dialect)).overhead,
      (await measured({ messages: [USER, { role: 'assistant', content: 'x' }, USER] }, dialect)).overhead,
      (await measured({ system: 'x' }, dialect)).overhead,
      (await measured({ tools: [tool] }, dialect)).overhead,
      (await measured({ tools: [tool, { ...tool, name: 'g' }] }, dialect)).overhead,
    ]
    expect(await overheads('chat')).toEqual([7, 15, 11, 27, 35])
    expect(await overheads('messages')).toEqual([8, 16, 12, 364, 380])
  })

  test('encrypted reasoning counts by its length', async () => {
    const redacted = { type: 'redacted_thinking', data: 'x'.repeat(600) }
    const history = [USER, { role: 'assistant', content: [redacted, { type: 'text', text: 'a' }] }, USER]
    expect((await measured({ messages: history })).overhead).toBe(16 + 100)
  })
})

describe('images, by the formulas of the vendors', () => {
  test.each<[TextDialectId, number, number, number]>([
    ['chat', 512, 512, 85 + 170],
    ['chat', 1_024, 1_024, 85 + 4 * 170],
    ['responses', 2_048, 4_096, 85 + 6 * 170],
    ['messages', 200, 200, 54],
    ['messages', 1_000, 1_000, 1_334],
    ['messages', 1_092, 1_092, 1_590],
    ['messages', 4_000, 3_000, 1_600],
    ['generate-content', 300, 300, 258],
    ['generate-content', 384, 384, 258],
    ['generate-content', 960, 540, 6 * 258],
  ])('%s: %d x %d pixels are %d tokens', async (dialect, width, height, tokens) => {
    expect((await withContent([imageOf(await png(width, height))], dialect)).media).toBe(tokens)
  })

  test.each<[string, unknown]>([
    ['behind a URL', { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }],
    ['that cannot be read', imageOf(Buffer.from('no image').toString('base64'))],
    ['without a byte', imageOf('AA==')],
  ])('one %s counts as a megapixel', async (_, image) => {
    expect((await withContent([image], 'messages')).media).toBe(1_399)
    expect((await withContent([image], 'chat')).media).toBe(765)
  })

  test('a thousand images are counted, and the first hundred looked at', async () => {
    const image = imageOf(await png(200, 200))
    expect((await withContent(Array(1_000).fill(image))).media).toBe(100 * 54 + 900 * 1_399)
  })
})

describe('documents', () => {
  const pdf = (text: string) => ({
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: Buffer.from(text).toString('base64') },
  })

  test.each<[string, string, number]>([
    ['by the count of their pages', '%PDF-1.4 << /Type /Pages /Count 3 >> << /Count 12 >>', 12],
    ['by the count at their end', `%PDF-1.4 ${' '.repeat(1_000_000)}<< /Type /Pages /Count 7 >>`, 7],
    ['by their size without one', `%PDF-1.4 ${' '.repeat(640_000)}`, 10],
    ['with an absurd count, up to a limit', '%PDF-1.4 << /Count 99999 >>', 3_000],
    ['with hardly any content', 'x', 1],
  ])('%s', async (_, text, pages) => {
    expect((await withContent([pdf(text)], 'messages')).media).toBe(pages * 2_000)
    expect((await withContent([pdf(text)], 'generate-content')).media).toBe(pages * 258)
  })
})
