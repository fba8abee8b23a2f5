import { describe, expect, test } from 'bun:test'
import { requestOf, targetOf } from '../../../../fixtures/generate-content/harness.ts'
import { mistakeOf } from '../../../../fixtures/generate-content/requests.ts'
import { originOf } from '../../../../fixtures/origins.ts'
import type { CanonicalRequest, ReasoningWish } from '../../../canonical/request.ts'
import type { TextDialectId } from '../../index.ts'
import { encodeRequest } from './encode-request.ts'

function write(more: Partial<CanonicalRequest>, model?: string) {
  const { target, warnings } = targetOf(model)
  const { contents: _, generationConfig, ...settings } = encodeRequest(requestOf(more), target).body
  return { config: generationConfig as Record<string, unknown> | undefined, settings, warnings }
}

describe('thinking', () => {
  const CASES: [model: string, wish: ReasoningWish, config: object | undefined, warnings: string[]][] = [
    ['gemini-3-flash', {}, undefined, []],
    ['gemini-3-flash', { effort: 'none' }, { thinkingLevel: 'MINIMAL' }, ['reasoning;clipped']],
    ['gemini-3-flash', { mode: 'off' }, { thinkingLevel: 'MINIMAL' }, ['reasoning;clipped']],
    ['gemini-3-flash', { effort: 'minimal' }, { thinkingLevel: 'MINIMAL' }, []],
    ['gemini-3-flash', { effort: 'medium' }, { thinkingLevel: 'MEDIUM' }, []],
    ['gemini-3-flash', { effort: 'max' }, { thinkingLevel: 'HIGH' }, []],
    ['gemini-3-flash', { mode: 'on', budget: 2048 }, { thinkingLevel: 'LOW' }, []],
    ['gemini-3-flash', { mode: 'auto' }, undefined, []],
    ['our-alias', { effort: 'xhigh' }, { thinkingLevel: 'HIGH' }, []],
    ['gemini-3-pro-preview', { effort: 'medium' }, { thinkingLevel: 'HIGH' }, ['reasoning;clipped']],
    ['gemini-3.1-pro-preview', { effort: 'medium' }, { thinkingLevel: 'MEDIUM' }, []],
    ['gemini-3.1-pro-preview', { effort: 'minimal' }, { thinkingLevel: 'LOW' }, ['reasoning;clipped']],
    ['gemini-2.5-flash', { effort: 'none' }, { thinkingBudget: 0 }, []],
    ['gemini-2.5-flash', { mode: 'off', budget: 99 }, { thinkingBudget: 0 }, []],
    ['gemini-2.5-flash', { effort: 'minimal' }, { thinkingBudget: 512 }, []],
    ['gemini-2.5-flash', { effort: 'high' }, { thinkingBudget: 24_576 }, []],
    ['gemini-2.5-flash', { effort: 'xhigh' }, { thinkingBudget: 24_576 }, []],
    ['gemini-2.5-pro', { effort: 'xhigh' }, { thinkingBudget: 32_768 }, []],
    ['gemini-2.5-pro', { effort: 'max' }, { thinkingBudget: -1 }, []],
    ['gemini-2.5-pro', { mode: 'auto' }, { thinkingBudget: -1 }, []],
    ['gemini-2.5-pro', { mode: 'on', budget: 5000 }, { thinkingBudget: 5000 }, []],
    ['gemini-2.5-pro', { mode: 'on', budget: 90_000 }, { thinkingBudget: 32_768 }, ['reasoning;clipped']],
    ['gemini-2.5-pro', { effort: 'none' }, { thinkingBudget: 128 }, ['reasoning;clipped']],
    ['models/gemini-2.0-flash', { effort: 'low' }, undefined, ['reasoning;dropped']],
    ['gemini-1.5-pro', { effort: 'none' }, undefined, []],
  ]
  test.each(CASES)('%s %j', (model, reasoning, thinkingConfig, warned) => {
    const { config, warnings } = write({ reasoning }, model)
    expect(config?.thinkingConfig as object | undefined).toEqual(thinkingConfig)
    expect(warnings).toEqual(warned)
  })

  const SHOWN: [from: TextDialectId, wish: ReasoningWish, shown: boolean][] = [
    ['chat', { effort: 'high' }, false],
    ['chat', { effort: 'high', show: 'full' }, true],
    ['responses', { effort: 'high' }, false],
    ['responses', { effort: 'high', show: 'summary' }, true],
    ['messages', { mode: 'on', budget: 2048 }, true],
    ['messages', { mode: 'auto' }, true],
    ['messages', { mode: 'on', budget: 2048, show: 'none' }, false],
    ['messages', { mode: 'off' }, false],
    ['messages', {}, false],
    ['generate-content', { show: 'summary' }, true],
    ['generate-content', { show: 'none' }, false],
  ]
  test.each(SHOWN)('reasoning for %s %j: %p', (from, reasoning, shown) => {
    const config = write({ from: originOf(from), reasoning }).config?.thinkingConfig as
      | { includeThoughts?: boolean }
      | undefined
    expect(config?.includeThoughts).toBe(shown ? true : undefined)
  })
})

describe('sampling and settings', () => {
  const CASES: [more: Partial<CanonicalRequest>, written: object, warnings: string[]][] = [
    [{ sampling: { logitBias: { '1': 2 } } }, {}, ['logitBias;dropped']],
    [
      { sampling: { stop: ['1', '2', '3', '4', '5', '6'] } },
      { config: { stopSequences: ['1', '2', '3', '4', '5'] } },
      ['stop;clipped'],
    ],
    [{ sampling: { stop: [] } }, {}, []],
    [{ sampling: { seed: 2 ** 40 } }, {}, ['seed;dropped']],
    [{ sampling: { logprobs: {} } }, { config: { responseLogprobs: true } }, []],
    [{ sampling: { choices: 3, temperature: 0 } }, { config: { candidateCount: 3, temperature: 0 } }, []],
    [
      { verbosity: 'low', endUser: 'u', cacheKey: 'k' },
      {},
      ['verbosity;dropped', 'endUser;dropped', 'cacheKey;dropped'],
    ],
    [{ tier: 'auto' }, {}, ['tier;dropped']],
    [{ tier: 'default' }, { settings: { serviceTier: 'standard' } }, []],
    [{ store: false }, { settings: { store: false } }, []],
    [{ metadata: {} }, {}, []],
    [{ metadata: { team: 'sea' } }, {}, ['metadata;dropped']],
    [{ from: originOf('generate-content'), metadata: { team: 'sea' } }, { settings: { labels: { team: 'sea' } } }, []],
    [{ format: { type: 'json' } }, { config: { responseMimeType: 'application/json' } }, []],
    [
      { format: { type: 'schema', name: 'n', description: 'D', strict: true, schema: { type: 'object' } } },
      { config: { responseMimeType: 'application/json', responseJsonSchema: { type: 'object', description: 'D' } } },
      [],
    ],
    [
      { format: { type: 'schema', schema: { type: 'string', pattern: '^a' } } },
      { config: { responseMimeType: 'application/json', responseJsonSchema: { type: 'string' } } },
      ['format;changed'],
    ],
    [
      { tools: [{ name: 'f' }], format: { type: 'json' } },
      {
        config: { responseMimeType: 'application/json' },
        settings: { tools: [{ functionDeclarations: [{ name: 'f' }] }] },
      },
      [],
    ],
    [{ modalities: ['image'] }, { config: { responseModalities: ['TEXT', 'IMAGE'] } }, []],
  ]
  test.each(CASES)('%j', (more, written, warned) => {
    const { config, settings, warnings } = write(more)
    expect({ config, settings }).toEqual({ config: undefined, settings: {}, ...written })
    expect(warnings).toEqual(warned)
  })

  test.each([['audio'], ['video']] as const)('%s is rejected', (modality) => {
    expect(mistakeOf(() => write({ modalities: [modality] })).code).toBe('unsupported_parameter')
  })
})
