// The tool of a request: what the caller sets, what the model may choose, and what each call of the model asks for.
import { describe, expect, test } from 'bun:test'
import { RequestError } from '@trivium/protocol/canonical/reading.ts'
import type { OfferOf } from '../catalogue/catalogue.ts'
import { functionOf, imageRequestOf, readImageTool } from './image-tool.ts'

const LIMITS = { sizes: ['512x512', '1024x1024'], qualities: ['low', 'high'], n: 1 }
const OFFER = { model: { id: 'img', limits: LIMITS } } as unknown as OfferOf<'image'>

function read(tool: object, more: object = {}, functionNames: string[] = []) {
  const warnings: string[] = []
  const body = {
    tools: [
      { type: 'function', name: 'other' },
      { type: 'image_generation', ...tool },
    ],
    ...more,
  }
  return { tool: readImageTool(body, OFFER, new Set(functionNames), warnings), warnings }
}

const rejection = (run: () => unknown): unknown[] => {
  try {
    run()
  } catch (error) {
    if (error instanceof RequestError) return [error.info.code, error.info.param]
    throw error
  }
  return []
}

const propertiesOf = (tool: object) =>
  (functionOf(read(tool).tool).schema as { properties: Record<string, { enum?: string[] }> }).properties

describe('what the caller sets', () => {
  test('is kept, and what only a vendor can follow is named', () => {
    const { tool, warnings } = read({ size: '512x512', quality: null, model: 'gpt-image', action: 'edit' })
    expect(tool).toMatchObject({ options: { size: '512x512' }, maxCalls: 4, isStream: false })
    expect(warnings).toEqual(['tools[1].model;dropped', 'tools[1].action;dropped'])
  })

  test.each([
    [{ size: '9x9' }, {}],
    [{ quality: 'best' }, {}],
    [{}, { max_tool_calls: 0 }],
    [{}, { max_tool_calls: 1.5 }],
  ])('%j %j is rejected before anything is held', (tool, more) => {
    expect(rejection(() => read(tool, more))[0]).toBe('bad_request')
  })

  test.each([
    [{ max_tool_calls: 2 }, 2],
    [{ max_tool_calls: 1_000 }, 128],
    [{ max_tool_calls: null }, 4],
  ])('%j: at most %p calls', (more, most) => {
    expect(read({}, more).tool.maxCalls).toBe(most)
  })

  test('a function of the same name keeps its name', () => {
    expect(read({}, {}, ['image_generation']).tool.functionName).toBe('gateway_image_generation')
  })
})

describe('what the model may choose', () => {
  test('is what the image model has', () => {
    const { size, quality, background } = propertiesOf({})
    expect(size?.enum).toEqual(['auto', '512x512', '1024x1024'])
    expect(quality?.enum).toEqual(['auto', 'low', 'high'])
    expect(background?.enum).toContain('transparent')
  })

  test('is not what the caller has set', () => {
    expect(Object.keys(propertiesOf({ size: '512x512', background: 'opaque' }))).toEqual(['prompt', 'quality'])
  })
})

describe('a call of the model', () => {
  test('asks for one image, with the options of both', () => {
    const { tool } = read({ quality: 'high', output_format: 'webp' })
    expect(imageRequestOf(tool, '{"prompt":"a cat","size":"512x512","quality":"low"}')).toMatchObject({
      operation: 'generate',
      model: 'img',
      prompt: 'a cat',
      size: '512x512',
      quality: 'high',
      outputFormat: 'webp',
      stream: false,
      responseFormat: 'b64_json',
    })
  })

  test.each([
    [true, 2, true],
    [true, 0, false],
    [false, 2, false],
  ])('streamed: %p, partial images: %p: streamed from the upstream %p', (stream, partial_images, expected) => {
    const { tool } = read({ partial_images }, { stream })
    const request = imageRequestOf(tool, '{"prompt":"a cat"}')
    expect([request.stream, request.partialImages]).toEqual([expected, expected ? partial_images : undefined])
  })

  test.each(['', 'a cat', '[]', '{}', '{"prompt":7}', '{"prompt":"a cat","size":"9x9"}'])('%j is rejected', (text) => {
    expect(rejection(() => imageRequestOf(read({}).tool, text))).not.toEqual([])
  })
})
