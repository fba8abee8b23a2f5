// A conversation with tools as users of each official SDK write it: prompt, tool calls, results, next turn. The model's
// messages are sent back exactly as the SDK returned them.
import Anthropic from '@anthropic-ai/sdk'
import { type Content, type FunctionCall, GoogleGenAI, type Part } from '@google/genai'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import OpenAI from 'openai'

export type ToolSetting = {
  origin: string
  key: string
  model: string
  streamed: boolean
  prompt: string
  /** The turns after the first, in order; by default one like the first. */
  then?: readonly Step[]
}

/** `alter`: changes the conversation so far, as JSON, before it is sent. */
export type Step = { key?: string; model?: string; alter?: (history: string) => string }

/** The result of a tool. `failed` is sent in the dialect's own field where it has one. */
export type Outcome = { text: string; failed?: boolean }
export type RequestedCall = { name: string; arguments: unknown }
/** `texts`: of each later turn; `text`: of the last. `history`: the whole conversation as JSON. */
export type ConversationResult = { calls: RequestedCall[]; text: string; texts: string[]; history: string }

/** `answer` gets all calls of the first turn; the text is that of the second turn. */
export type Conversation = (
  setting: ToolSetting,
  answer: (call: RequestedCall, index: number) => Outcome,
) => Promise<ConversationResult>

/** The prompt of later turns. */
export const MORE = 'And what do you say to this?'

/** Runs the later turns in order: `say` returns the text, and adds the model's message and the next prompt to the history. */
async function laterTurns<History>(
  setting: ToolSetting,
  history: History,
  say: (setting: ToolSetting, history: History) => Promise<string>,
): Promise<Pick<ConversationResult, 'text' | 'texts' | 'history'>> {
  const texts: string[] = []
  for (const { alter, ...changed } of setting.then ?? [{}]) {
    const sent = alter ? (JSON.parse(alter(JSON.stringify(history))) as History) : history
    texts.push(await say({ ...setting, ...changed }, sent))
  }
  return { text: texts.at(-1) ?? '', texts, history: JSON.stringify(history) }
}

export const TOOL_NAMES = ['tide_height', 'wind'] as const
const SCHEMA = { type: 'object' as const, properties: { port: { type: 'string' } }, required: ['port'] }
const describe = (name: string) => ({ name, description: `Tells about ${name} at a port` })

const openai = ({ origin, key }: ToolSetting) => new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0 })

/** Some dialects have no field for it. */
const marked = ({ text, failed }: Outcome): string => (failed ? `ERROR: ${text}` : text)

const chat: Conversation = async (setting, answer) => {
  const tools = TOOL_NAMES.map((name) => ({
    type: 'function' as const,
    function: { ...describe(name), parameters: SCHEMA },
  }))
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: setting.prompt }]
  const say = async ({ model, ...setting }: ToolSetting, messages: OpenAI.ChatCompletionMessageParam[]) => {
    const { completions } = openai({ model, ...setting }).chat
    const body = { model, messages, tools }
    const completion = setting.streamed
      ? await completions.stream(body).finalChatCompletion()
      : await completions.create(body)
    const message = completion.choices[0]?.message
    if (!message) throw new Error('there is no choice')
    return message
  }
  const message = await say(setting, messages)
  messages.push(message)
  const asked = (message.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []))
  const calls = asked.map((call) => ({ name: call.function.name, arguments: JSON.parse(call.function.arguments) }))
  for (const [index, call] of calls.entries()) {
    messages.push({ role: 'tool', tool_call_id: asked[index]?.id ?? '', content: marked(answer(call, index)) })
  }
  const later = await laterTurns(setting, messages, async (at, history) => {
    const next = await say(at, history)
    messages.push(next, { role: 'user', content: MORE })
    return next.content ?? ''
  })
  return { calls, ...later }
}

const responses: Conversation = async (setting, answer) => {
  const tools = TOOL_NAMES.map((name) => ({
    type: 'function' as const,
    ...describe(name),
    parameters: SCHEMA,
    strict: false,
  }))
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: setting.prompt }]
  const say = async (setting: ToolSetting, input: OpenAI.Responses.ResponseInput) => {
    const client = openai(setting).responses
    const include: OpenAI.Responses.ResponseIncludable[] = ['reasoning.encrypted_content']
    const body = { model: setting.model, input, tools, include, store: false }
    return setting.streamed ? await client.stream(body).finalResponse() : await client.create(body)
  }
  const first = await say(setting, input)
  input.push(...(first.output as OpenAI.Responses.ResponseInput))
  const asked = first.output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
  const calls = asked.map(({ name, arguments: text }) => ({ name, arguments: JSON.parse(text) }))
  for (const [index, call] of calls.entries()) {
    const output = marked(answer(call, index))
    input.push({ type: 'function_call_output', call_id: asked[index]?.call_id ?? '', output })
  }
  const later = await laterTurns(setting, input, async (at, history) => {
    const next = await say(at, history)
    input.push(...(next.output as OpenAI.Responses.ResponseInput), { role: 'user', content: MORE })
    return next.output_text
  })
  return { calls, ...later }
}

const messages: Conversation = async (setting, answer) => {
  const tools = TOOL_NAMES.map((name) => ({ ...describe(name), input_schema: SCHEMA }))
  const turns: Anthropic.MessageParam[] = [{ role: 'user', content: setting.prompt }]
  const say = async (setting: ToolSetting, turns: Anthropic.MessageParam[]) => {
    const client = new Anthropic({ apiKey: setting.key, baseURL: setting.origin, maxRetries: 0 })
    const body = { model: setting.model, max_tokens: 2_000, messages: turns, tools }
    return setting.streamed ? await client.messages.stream(body).finalMessage() : await client.messages.create(body)
  }
  const first = await say(setting, turns)
  turns.push({ role: 'assistant', content: first.content as Anthropic.ContentBlockParam[] })
  const asked = first.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
  const calls = asked.map(({ name, input }) => ({ name, arguments: input }))
  const results = calls.map((call, index) => {
    const { text, failed = false } = answer(call, index)
    const id = asked[index]?.id ?? ''
    return { type: 'tool_result' as const, tool_use_id: id, content: text, is_error: failed }
  })
  turns.push({ role: 'user', content: results })
  const later = await laterTurns(setting, turns, async (at, history) => {
    const { content } = await say(at, history)
    turns.push(
      { role: 'assistant', content: content as Anthropic.ContentBlockParam[] },
      { role: 'user', content: MORE },
    )
    return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  })
  return { calls, ...later }
}

const generateContent: Conversation = async (setting, answer) => {
  const functionDeclarations = TOOL_NAMES.map((name) => ({ ...describe(name), parametersJsonSchema: SCHEMA }))
  const contents: Content[] = [{ role: 'user', parts: [{ text: setting.prompt }] }]
  const say = async (setting: ToolSetting, contents: Content[]): Promise<Part[]> => {
    const { models } = new GoogleGenAI({ apiKey: setting.key, httpOptions: { baseUrl: setting.origin } })
    const body = { model: setting.model, contents, config: { tools: [{ functionDeclarations }] } }
    if (!setting.streamed) return (await models.generateContent(body)).candidates?.[0]?.content?.parts ?? []
    const parts: Part[] = []
    for await (const chunk of await models.generateContentStream(body)) {
      parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []))
    }
    return parts
  }
  const first = await say(setting, contents)
  contents.push({ role: 'model', parts: first })
  const asked = first.flatMap(({ functionCall }): FunctionCall[] => (functionCall ? [functionCall] : []))
  const calls = asked.map(({ name = '', args }) => ({ name, arguments: args }))
  const parts = calls.map((call, index): Part => {
    const { text, failed } = answer(call, index)
    const id = asked[index]?.id
    const response = failed ? { error: text } : { output: text }
    return { functionResponse: { name: call.name, response, ...(id === undefined ? {} : { id }) } }
  })
  contents.push({ role: 'user', parts })
  const later = await laterTurns(setting, contents, async (at, history) => {
    const next = await say(at, history)
    contents.push({ role: 'model', parts: next }, { role: 'user', parts: [{ text: MORE }] })
    return next.map((part) => (part.thought ? '' : (part.text ?? ''))).join('')
  })
  return { calls, ...later }
}

export const CONVERSATIONS: Record<TextDialectId, Conversation> = {
  chat,
  responses,
  messages,
  'generate-content': generateContent,
}
