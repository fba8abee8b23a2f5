// The tables of what changes a vendor's price are closed: every field of the official SDKs' types is in one of them. A new
// version of an SDK makes this fail with the names of the fields that need a decision.
import { describe, expect, test } from 'bun:test'
import type Anthropic from '@anthropic-ai/sdk'
import type { GenerateContentConfig, GenerationConfig, Tool } from '@google/genai'
import type OpenAI from 'openai'
import { type Declarations, readDeclarations } from '../../../../fixtures/shared/declarations.ts'
import * as chat from '../../chat/pass-through/fields.ts'
import * as gemini from '../../generate-content/pass-through/fields.ts'
import * as messages from '../../messages/pass-through/fields.ts'
import * as responses from '../../responses/pass-through/fields.ts'
import { type Effect, effectOfType, effectsOf, type FieldTable } from './priced-fields.ts'

// These compile or they do not: a field more in the SDK's type is an error here, with its name.
type Covers<Fields extends PropertyKey> = Record<Fields, Effect>
const chatRequest: Covers<keyof OpenAI.ChatCompletionCreateParams> = chat.REQUEST
const responsesRequest: Covers<keyof OpenAI.Responses.ResponseCreateParams> = responses.REQUEST
const messagesRequest: Covers<keyof Anthropic.MessageCreateParams> = messages.REQUEST
const betaRequest: Covers<keyof Anthropic.Beta.MessageCreateParams> = messages.REQUEST
const geminiConfig: Covers<Exclude<keyof GenerationConfig, 'modelSelectionConfig'>> = gemini.CONFIG
const geminiTools: Covers<keyof Tool> = gemini.TOOLS
type SdkOnly =
  | ('httpOptions' | 'abortSignal' | 'automaticFunctionCalling' | 'automaticContinuation')
  | ('generationOutputConfig' | 'modelSelectionConfig')
const geminiRequest: Covers<Exclude<keyof GenerateContentConfig, SdkOnly>> = { ...gemini.REQUEST, ...gemini.CONFIG }

const OPENAI_CHAT = readDeclarations('openai', 'resources/chat/completions/completions.d.ts')
const OPENAI_RESPONSES = readDeclarations('openai', 'resources/responses/responses.d.ts')
const ANTHROPIC = readDeclarations('@anthropic-ai/sdk', 'resources/messages/messages.d.ts')
const ANTHROPIC_BETA = readDeclarations('@anthropic-ai/sdk', 'resources/beta/messages/messages.d.ts')
const GOOGLE = readDeclarations('@google/genai', 'dist/genai.d.ts')

type Row = [name: string, of: Declarations, type: string, table: FieldTable, names?: Readonly<Record<string, unknown>>]

const OBJECTS: Row[] = [
  ['chat', OPENAI_CHAT, 'ChatCompletionCreateParamsBase', chat.REQUEST],
  ['chat', OPENAI_CHAT, 'ChatCompletionCreateParamsStreaming', chat.REQUEST],
  ['chat', OPENAI_CHAT, 'WebSearchOptions', chat.MEMBERS.web_search_options],
  ['chat', OPENAI_CHAT, 'ChatCompletionAudioParam', chat.MEMBERS.audio],
  ['chat', OPENAI_CHAT, 'ChatCompletionStreamOptions', chat.MEMBERS.stream_options],
  ['chat', OPENAI_CHAT, 'PromptCacheOptions', chat.MEMBERS.prompt_cache_options],
  ['responses', OPENAI_RESPONSES, 'ResponseCreateParamsBase', responses.REQUEST],
  ['responses', OPENAI_RESPONSES, 'ContainerAuto', responses.MEMBERS.container],
  ['responses', OPENAI_RESPONSES, 'ContainerReference', responses.MEMBERS.container],
  ['responses', OPENAI_RESPONSES, 'LocalEnvironment', responses.MEMBERS.container],
  ['responses', OPENAI_RESPONSES, 'CodeInterpreterToolAuto', responses.MEMBERS.container],
  ['responses', OPENAI_RESPONSES, 'PromptCacheOptions', responses.MEMBERS.prompt_cache_options],
  ['responses', OPENAI_RESPONSES, 'StreamOptions', responses.MEMBERS.stream_options],
  ['messages', ANTHROPIC, 'MessageCreateParamsBase', messages.REQUEST],
  ['messages', ANTHROPIC_BETA, 'MessageCreateParamsBase', messages.REQUEST],
  ['messages', ANTHROPIC, 'CacheControlEphemeral', messages.MEMBERS.cache_control],
  ['messages', ANTHROPIC_BETA, 'BetaContainerParams', messages.MEMBERS.container],
  ['messages', ANTHROPIC, 'OutputConfig', messages.MEMBERS.output_config],
  ['messages', ANTHROPIC_BETA, 'BetaOutputConfig', messages.MEMBERS.output_config],
  ['generate-content', GOOGLE, 'GenerateContentConfig', { ...gemini.REQUEST, ...gemini.CONFIG }, gemini.SDK_NAMES],
  ['generate-content', GOOGLE, 'GenerationConfig', gemini.CONFIG, gemini.SDK_NAMES],
  ['generate-content', GOOGLE, 'Tool', gemini.TOOLS],
  ['generate-content', GOOGLE, 'ToolConfig', gemini.MEMBERS.toolConfig],
  ['generate-content', GOOGLE, 'GoogleSearch', gemini.MEMBERS.googleSearch],
  ['generate-content', GOOGLE, 'ThinkingConfig', gemini.MEMBERS.thinkingConfig],
  ['generate-content', GOOGLE, 'SpeechConfig', gemini.MEMBERS.speechConfig],
  ['generate-content', GOOGLE, 'ImageConfig', gemini.MEMBERS.imageConfig],
]

describe('every field of the official types is in the table', () => {
  test.each(OBJECTS.map((row) => [`${row[0]}: ${row[2]}`, row] as const))('%s', (_, [
    ,
    of,
    type,
    table,
    names = {},
  ]) => {
    const wire = of
      .members(type)
      .flatMap((name) => (Object.hasOwn(names, name) ? ((names[name] as string) ?? []) : name))
    const missing = wire.filter((name) => !Object.hasOwn(table, name)).map((name) => `${type}.${name}`)
    expect(missing).toEqual([])
  })

  const TOOLS: [string, Declarations, string, tools: FieldTable, members: FieldTable][] = [
    ['chat', OPENAI_CHAT, 'ChatCompletionTool', chat.TOOLS, chat.TOOL_MEMBERS],
    ['responses', OPENAI_RESPONSES, 'Tool', responses.TOOLS, responses.TOOL_MEMBERS],
    ['messages', ANTHROPIC, 'ToolUnion', messages.TOOLS, messages.TOOL_MEMBERS],
    ['messages', ANTHROPIC_BETA, 'BetaToolUnion', messages.TOOLS, messages.TOOL_MEMBERS],
  ]
  test.each(TOOLS)('the tools of %s, by type and member', (_dialect, of, union, tools, members) => {
    const kinds = of.union(union)
    expect(kinds.length).toBeGreaterThan(1)
    const isNamed = (type: string) => Object.keys(tools).some((name) => type === name || type.startsWith(`${name}_`))
    const unknownTypes = kinds.flatMap((kind) => of.literals(kind, 'type').filter((type) => !isNamed(type)))
    expect(unknownTypes).toEqual([])
    const unknown = kinds.flatMap((kind) =>
      of.members(kind).flatMap((name) => (Object.hasOwn(members, name) ? [] : [`${kind}.${name}`])),
    )
    expect(unknown).toEqual([])
  })

  test('the types say the same to the compiler', () => {
    for (const table of [chatRequest, responsesRequest, messagesRequest, betaRequest, geminiRequest])
      expect(Object.keys(table).length).toBeGreaterThan(10)
    for (const table of [geminiConfig, geminiTools]) expect(Object.keys(table).length).toBeGreaterThan(5)
  })
})

test('declarations are read whole: names, unions and words', () => {
  expect(OPENAI_CHAT.members('ChatCompletionCreateParamsStreaming')).toContain('web_search_options')
  expect(OPENAI_RESPONSES.union('Tool')).toContain('CodeInterpreter')
  expect(ANTHROPIC.literals('WebSearchTool20250305', 'type')).toEqual(['web_search_20250305'])
  expect(() => GOOGLE.members('NoSuchThing')).toThrow('declares no NoSuchThing')
})

describe('a tool is what the longest name says that it is', () => {
  test.each<[string, FieldTable, string | undefined]>([
    ['web_search_2026_01_01', responses.TOOLS, 'web_search'],
    ['local_shell', responses.TOOLS, undefined],
    ['web_search_20990101', messages.TOOLS, 'web_search'],
    ['tool_search_tool_bm25_20251119', messages.TOOLS, undefined],
    ['code_execution_20260521', messages.TOOLS, 'code_interpreter'],
    // Unknown names: one that sounds like a vendor's own tool needs a price, others pass.
    ['live_search', chat.TOOLS, 'live_search'],
    ['image_generation_20270101', messages.TOOLS, 'image_generation_20270101'],
    ['brand_new', responses.TOOLS, undefined],
    ['constructor', responses.TOOLS, undefined],
  ])('%s', (type, table, word) => {
    expect(effectOfType(effectsOf(table), type)?.words({ type })[0]).toBe(word as string)
  })
})
