import { expect, test } from 'bun:test'
import { untranslatedOf } from '../../../../fixtures/untranslated.ts'

test('fields that no other dialect has are named, except those without effect', () => {
  const untranslated = untranslatedOf('responses', {
    model: 'harbour-large',
    input: 'How high is the tide?',
    max_tool_calls: 3,
    context_management: [{}],
    client_metadata: { a: 'b' },
    truncation: 'auto',
    seed: 7,
    include: ['web_search_call.action.sources'],
    service_tier: 'scale',
    moderation: null,
    reasoning: { effort: 'ludicrous', context: 'all_turns' },
    text: { verbosity: 'baroque', format: { type: 'haiku' } },
    stream_options: { include_obfuscation: false },
    prompt_cache_retention: '24h',
    prompt_cache_options: {},
  })
  expect(untranslated.toSorted()).toEqual([
    'client_metadata',
    'context_management',
    'include',
    'max_tool_calls',
    'reasoning.context',
    'reasoning.effort',
    'seed',
    'service_tier',
    'text.format',
    'text.verbosity',
    'truncation',
  ])
})
