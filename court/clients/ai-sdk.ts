// Three major versions of the Vercel AI SDK behind one narrow type. Its providers validate every field of a response
// against their own schemas, so they reject what the official SDKs accept.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { load } from './load.ts'

// Otherwise it warns of every unknown model.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

/** Major versions of the package `ai`. */
export const MAJORS = [5, 6, 7] as const
export type Major = (typeof MAJORS)[number]

/** `compatible` is a second client of the chat dialect, which reads `reasoning_content`. */
export const PROVIDERS = ['chat', 'compatible', 'responses', 'messages', 'generate-content'] as const
export type Provider = (typeof PROVIDERS)[number]

export const DIALECT_OF: Readonly<Record<Provider, TextDialectId>> = {
  chat: 'chat',
  compatible: 'chat',
  responses: 'responses',
  messages: 'messages',
  'generate-content': 'generate-content',
}

/** What the tests read from a response. The names are the same in all three versions. */
export type Result = {
  text: string
  reasoningText: string | undefined
  finishReason: string
  usage: { inputTokens: number | undefined; outputTokens: number | undefined }
  sources: { sourceType: string; url?: string; title?: string }[]
  /** One entry for each call of the model. */
  steps: { toolCalls: { toolName: string; input: unknown }[] }[]
  /** The client's warnings about the request. */
  warnings: unknown[] | undefined
  providerMetadata: unknown
  /** `id`: of the last response. `messages`: those of all steps, to continue the conversation with. */
  response: { id: string; messages: unknown[] }
}

/** The SDK executes the tools and calls the model again. */
export type ToolSpec = { description: string; inputSchema: unknown; execute: (input: unknown) => Promise<unknown> }

export type Request = {
  prompt?: string
  messages?: unknown[]
  system?: string
  tools?: Record<string, ToolSpec>
  /** A JSON Schema for the response. */
  schema?: object
  providerOptions?: Record<string, Record<string, unknown>>
  streamed?: boolean
}

export type Client = {
  call(request: Request): Promise<Result & { object?: unknown }>
}

export type Setting = { origin: string; key: string; model: string }

type Model = { specificationVersion: string }
type StreamResult = { [Name in keyof Result]: Promise<Result[Name]> }

/** The functions of `ai` that are used here; the packages' own types differ between versions. */
type AiSdk = {
  generateText(options: object): Promise<Result>
  streamText(options: object): StreamResult & { consumeStream(): Promise<void> }
  generateObject(options: object): Promise<Result & { object: unknown }>
  streamObject(options: object): StreamResult & { object: Promise<unknown>; textStream: AsyncIterable<string> }
  stepCountIs(count: number): unknown
  jsonSchema(schema: object): unknown
  tool(spec: object): unknown
}

type Factory = (options: object) => {
  (model: string): Model
  chat(model: string): Model
}

/** Provider versions that match a version of `ai`. */
const PROVIDER_MAJOR: Readonly<Record<Major, number>> = { 5: 2, 6: 3, 7: 4 }
const COMPATIBLE_MAJOR: Readonly<Record<Major, number>> = { 5: 1, 6: 2, 7: 3 }

export async function modelOf(provider: Provider, major: Major, { origin, key, model }: Setting): Promise<Model> {
  const version = PROVIDER_MAJOR[major]
  if (provider === 'messages') {
    const { createAnthropic } = await load<{ createAnthropic: Factory }>(`@ai-sdk/anthropic-${version}`)
    return createAnthropic({ apiKey: key, baseURL: `${origin}/v1` })(model)
  }
  if (provider === 'generate-content') {
    const { createGoogleGenerativeAI } = await load<{ createGoogleGenerativeAI: Factory }>(`@ai-sdk/google-${version}`)
    return createGoogleGenerativeAI({ apiKey: key, baseURL: `${origin}/v1beta` })(model)
  }
  if (provider === 'compatible') {
    const name = `@ai-sdk/openai-compatible-${COMPATIBLE_MAJOR[major]}`
    const { createOpenAICompatible } = await load<{ createOpenAICompatible: Factory }>(name)
    const more = { includeUsage: true, supportsStructuredOutputs: true }
    return createOpenAICompatible({ name: 'gateway', apiKey: key, baseURL: `${origin}/v1`, ...more })(model)
  }
  const { createOpenAI } = await load<{ createOpenAI: Factory }>(`@ai-sdk/openai-${version}`)
  const openai = createOpenAI({ apiKey: key, baseURL: `${origin}/v1` })
  // The default is responses, with `store` left on.
  return provider === 'chat' ? openai.chat(model) : openai(model)
}

/** Enough for a tool call and the response to it; more means that the loop does not end. */
const MOST_STEPS = 4

export async function clientOf(provider: Provider, major: Major, setting: Setting): Promise<Client> {
  const sdk = await load<AiSdk>(`ai-${major}`)
  const model = await modelOf(provider, major, setting)
  return {
    async call({ tools = {}, schema, streamed = false, ...request }) {
      // Otherwise the SDK also logs what it throws.
      const thrown: unknown[] = []
      const onError = ({ error }: { error: unknown }) => void thrown.push(error)
      const options = { model, maxRetries: 0, ...request }
      if (schema) {
        const asked = { ...options, schema: sdk.jsonSchema(schema) }
        if (!streamed) return await sdk.generateObject(asked)
        const result = sdk.streamObject({ ...asked, onError })
        for await (const _ of result.textStream);
        if (thrown.length > 0) throw thrown[0]
        return { ...(await settled(result)), object: await result.object }
      }
      const made = Object.entries(tools).map(([name, { inputSchema, ...spec }]) => [
        name,
        sdk.tool({ ...spec, inputSchema: sdk.jsonSchema(inputSchema as object) }),
      ])
      const asked = { ...options, tools: Object.fromEntries(made), stopWhen: sdk.stepCountIs(MOST_STEPS) }
      if (!streamed) return await sdk.generateText(asked)
      const result = sdk.streamText({ ...asked, onError })
      await result.consumeStream()
      if (thrown.length > 0) throw thrown[0]
      return await settled(result)
    },
  }
}

async function settled(result: StreamResult): Promise<Result> {
  const [text, reasoningText, finishReason, usage, sources, steps, warnings, providerMetadata, response] =
    await Promise.all([
      ...([result.text, result.reasoningText, result.finishReason, result.usage, result.sources] as const),
      ...([result.steps, result.warnings, result.providerMetadata, result.response] as const),
    ])
  return { text, reasoningText, finishReason, usage, sources, steps, warnings, providerMetadata, response }
}
