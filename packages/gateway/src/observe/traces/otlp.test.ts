// Spans as tools for generative AI read them, decoded as a collector does it.
import { expect, test } from 'bun:test'
import type { RouteId } from '@trivium/protocol/routes.ts'
import { type Collected, decoded } from '../../../test-support/trace-collector.ts'
import { type Generation, RequestRecord } from '../request-record.ts'
import { beginAttempt, endAttempt } from '../upstream-attempt.ts'
import { encodeRequest } from './otlp.ts'

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5)
const OWN = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), isSampled: true }
const upstream = { id: 'one', kind: 'openai', baseUrl: 'http://127.0.0.1:8080/v1' }
const GENERATION: Generation = {
  stream: true,
  maxTokens: 4096,
  temperature: 0.7,
  previousResponse: 'resp_0',
  responseId: 'resp_1',
  responseModel: 'm-2026-01-01',
  finish: 'stop',
}

type Span = { name: string; attributes: Record<string, Collected> }

function spansOf(change: (record: RequestRecord) => void = () => {}): [own: Span, call: Span] {
  const record = new RequestRecord('POST', '/v1/chat/completions', 'req_1', performance.now())
  record.trace = { parent: undefined, own: OWN }
  beginAttempt(record, { upstream, model: 'm', dialect: 'chat' })
  endAttempt(record)
  record.tokens = { input: 100, cached: 40, cacheWrite: 10, output: 30, reasoning: 12 }
  record.generation = { ...GENERATION }
  record.attribution = { tags: ['env=prod', 'team=search'], endUser: 'u_1', session: 's_1' }
  record.charged = 1_234_567n
  record.firstTokenMs = 250
  record.totalMs = 1_000
  change(record)
  const spans = JSON.parse(`[${encodeRequest(record, OWN, NOW)}]`)
  return spans.map((span: { attributes: Parameters<typeof decoded>[0] }) => ({
    ...span,
    attributes: decoded(span.attributes),
  }))
}

/** What Langfuse reads of a generation, name by name. undefined: a trace never has it. */
test.each<[string, unknown]>([
  ['user.id', 'u_1'],
  ['session.id', 's_1'],
  ['langfuse.observation.type', 'generation'],
  ['langfuse.observation.model.name', 'm'],
  ['langfuse.observation.completion_start_time', '"2026-01-02T03:04:04.250Z"'],
  ['gen_ai.operation.name', 'chat'],
  ['gen_ai.request.model', 'm'],
  ['gen_ai.request.stream', true],
  ['gen_ai.request.max_tokens', 4096],
  ['gen_ai.request.temperature', 0.7],
  ['gen_ai.request.previous_response.id', 'resp_0'],
  ['gen_ai.response.id', 'resp_1'],
  ['gen_ai.response.model', 'm-2026-01-01'],
  ['gen_ai.response.finish_reasons', ['stop']],
  ['gen_ai.conversation.id', 's_1'],
  ['gen_ai.usage.input_tokens', 100],
  ['gen_ai.usage.output_tokens', 30],
  ['gen_ai.usage.cache_read.input_tokens', 40],
  ['gen_ai.usage.cache_write.input_tokens', 10],
  ['gen_ai.usage.cache_creation.input_tokens', 10],
  ['gen_ai.usage.reasoning.output_tokens', 12],
  ['gen_ai.usage.cost', 0.001234567],
  ['langfuse.environment', undefined],
  ['langfuse.trace.name', undefined],
  ['langfuse.trace.metadata', undefined],
  ['langfuse.observation.input', undefined],
  ['langfuse.observation.output', undefined],
  ['gen_ai.input.messages', undefined],
  ['gen_ai.output.messages', undefined],
  ['gen_ai.system_instructions', undefined],
  ['gen_ai.tool.definitions', undefined],
])('the call of an upstream: %s', (name, expected) => {
  expect(spansOf()[1].attributes[name]).toEqual(expected as Collected)
})

/** The kinds of calls that generate no text, by the route; as Langfuse and OpenInference name them. */
test.each<[RouteId, string, string | undefined, string | undefined, string | undefined]>([
  ['embeddings', 'embeddings m', 'embedding', 'EMBEDDING', undefined],
  ['rerank', 'rerank m', 'retriever', 'RERANKER', undefined],
  ['moderations', 'moderation m', undefined, undefined, undefined],
  ['speech', 'generate_content m', 'generation', 'LLM', 'speech'],
  ['audio-transcriptions', 'generate_content m', 'generation', 'LLM', 'text'],
  ['chat', 'chat m', 'generation', 'LLM', undefined],
])('a call for %s is named %s', (route, name, langfuse, openInference, output) => {
  const [, call] = spansOf((record) => {
    record.route = route
  })
  expect(call.name).toBe(name)
  expect(call.attributes).toMatchObject({ 'gen_ai.operation.name': name.slice(0, -2), 'gen_ai.request.model': 'm' })
  expect(call.attributes['langfuse.observation.type']).toBe(langfuse as Collected)
  expect(call.attributes['openinference.span.kind']).toBe(openInference as Collected)
  expect(call.attributes['gen_ai.output.type']).toBe(output as Collected)
  const models = ['llm.model_name', 'embedding.model_name'].filter((each) => call.attributes[each] === 'm')
  expect(models).toEqual(
    route === 'embeddings' ? ['embedding.model_name'] : route === 'moderations' ? [] : ['llm.model_name'],
  )
})

test("Langfuse's usage counts each token once, and its cost is exact", () => {
  const { attributes } = spansOf()[1]
  const classes = JSON.parse(String(attributes['langfuse.observation.usage_details']))
  expect(classes).toEqual({
    input: 50,
    input_cached_tokens: 40,
    input_cache_creation: 10,
    output: 18,
    output_reasoning_tokens: 12,
    total: 130,
  })
  expect(attributes['langfuse.observation.cost_details']).toBe('{"total":0.001234567}')
})

test.each<[string, unknown]>([
  ['openinference.span.kind', 'LLM'],
  ['llm.model_name', 'm'],
  ['llm.token_count.prompt', 100],
  ['llm.token_count.completion', 30],
  ['llm.token_count.total', 130],
  ['llm.token_count.prompt_details.cache_read', 40],
  ['llm.cost.total', 0.001234567],
])('what Phoenix reads of it: %s', (name, expected) => {
  expect(spansOf()[1].attributes[name]).toEqual(expected as Collected)
})

test.each<[string, unknown]>([
  ['user.id', 'u_1'],
  ['session.id', 's_1'],
  ['langfuse.trace.tags', ['env=prod', 'team=search']],
  ['tag.tags', ['env=prod', 'team=search']],
  ['openinference.span.kind', 'CHAIN'],
])('the request: %s', (name, expected) => {
  expect(spansOf()[0].attributes[name]).toEqual(expected as Collected)
})

test('a request without attribution and without figures has no attribute for them', () => {
  const spans = spansOf((record) => {
    record.attribution = undefined
    record.tokens = { input: 5, cached: 0, output: 0, reasoning: undefined }
  })
  const names = spans.flatMap(({ attributes }) => Object.keys(attributes))
  for (const part of ['user', 'session', 'conversation', 'tags', 'cache', 'reasoning'])
    expect(names.filter((name) => name.split(/[._]/).includes(part))).toEqual([])
})

test('a failed call has neither tokens, cost nor an answer', () => {
  const [, call] = spansOf((record) => endAttempt(record, 'timeout'))
  for (const name of ['gen_ai.usage.input_tokens', 'gen_ai.usage.cost', 'gen_ai.response.id', 'gen_ai.response.model'])
    expect(call.attributes).not.toHaveProperty([name])
})

test('what is kept for the next request does not stand in one that differs', () => {
  spansOf()
  const [own, call] = spansOf((record) => {
    record.status = 418
    record.userAgent = 'other'
    if (record.generation) record.generation.finish = 'length'
  })
  expect(own.attributes).toMatchObject({ 'http.response.status_code': 418, 'user_agent.original': 'other' })
  expect(call.attributes['gen_ai.response.finish_reasons']).toEqual(['length'])
})

test('texts of callers and vendors are escaped', () => {
  const [own, call] = spansOf((record) => {
    record.attribution = { tags: ['a="b"'], endUser: 'x"\\\n', session: '' }
    if (record.generation) record.generation.finish = '"\n'
  })
  expect(own.attributes).toMatchObject({ 'user.id': 'x"\\\n', 'langfuse.trace.tags': ['a="b"'] })
  expect(call.attributes['user.id']).toBe('x"\\\n')
})
