// Tool loops with LangChain, as its documentation writes them.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { load } from '../load.ts'
import { INSTRUCTIONS, type LoopSetting, MOST_CALLS, TIDE, type ToolLoop, type TurnResult } from './tool-loop.ts'

type Message = {
  text: string
  tool_calls?: { name: string; args: unknown }[]
  response_metadata: { id?: string }
}
type Chunk = Message & { concat(chunk: Chunk): Chunk }
type Bound = {
  invoke(messages: unknown[], options: object): Promise<Message>
  stream(messages: unknown[], options: object): Promise<AsyncIterable<Chunk>>
}
type Model = new (options: object) => { bindTools(tools: unknown[]): Bound }
type Tool = { invoke(call: object): Promise<unknown> }
type Core = {
  tool(run: (input: unknown) => Promise<string>, spec: object): Tool
  HumanMessage: new (text: string) => unknown
  SystemMessage: new (text: string) => unknown
}

type Made = (setting: LoopSetting, tool: Tool) => Promise<Bound>

const openai =
  (useResponsesApi: boolean): Made =>
  async ({ origin, key, model }, tool) => {
    const { ChatOpenAI } = await load<{ ChatOpenAI: Model }>('@langchain/openai')
    const configuration = { baseURL: `${origin}/v1` }
    return new ChatOpenAI({ model, apiKey: key, configuration, useResponsesApi, maxRetries: 0 }).bindTools([tool])
  }

const MADE: Readonly<Record<TextDialectId, Made>> = {
  chat: openai(false),
  responses: openai(true),
  async messages({ origin, key, model }, tool) {
    const { ChatAnthropic } = await load<{ ChatAnthropic: Model }>('@langchain/anthropic')
    const more = { maxTokens: 2_000, maxRetries: 0 }
    return new ChatAnthropic({ model, apiKey: key, anthropicApiUrl: origin, ...more }).bindTools([tool])
  },
  async 'generate-content'({ origin, key, model, streamed }, tool) {
    const { ChatGoogleGenerativeAI } = await load<{ ChatGoogleGenerativeAI: Model }>('@langchain/google-genai')
    const more = { streaming: streamed, maxRetries: 0 }
    return new ChatGoogleGenerativeAI({ model, apiKey: key, baseUrl: origin, ...more }).bindTools([tool])
  },
}

/** `chained`: by the id of the previous response, else by sending all messages again. */
export const langchainLoop =
  (dialect: TextDialectId, chained = false): ToolLoop =>
  async (setting, prompts) => {
    const { tool } = await load<Core>('@langchain/core/tools')
    const { HumanMessage, SystemMessage } = await load<Core>('@langchain/core/messages')
    const tide = tool(TIDE.run, { name: TIDE.name, description: TIDE.description, schema: TIDE.schema })
    const model = await MADE[dialect](setting, tide)
    let messages: unknown[] = [new SystemMessage(INSTRUCTIONS)]
    let previous: string | undefined
    const turns: TurnResult[] = []
    for (const prompt of prompts) {
      messages.push(new HumanMessage(prompt))
      const turn: TurnResult = { calls: [], text: '' }
      for (let call = 0; call < MOST_CALLS; call++) {
        const options = previous === undefined ? {} : { previous_response_id: previous }
        const answer = await (setting.streamed ? streamed(model, messages, options) : model.invoke(messages, options))
        if (chained) previous = answer.response_metadata.id
        messages = chained ? [] : [...messages, answer]
        turn.text = answer.text
        const calls = answer.tool_calls ?? []
        if (calls.length === 0) break
        turn.calls.push(...calls.map(({ name, args }) => ({ name, input: args })))
        for (const call of calls) messages.push(await tide.invoke(call))
      }
      turns.push(turn)
    }
    return turns
  }

async function streamed(model: Bound, messages: unknown[], options: object): Promise<Message> {
  let whole: Chunk | undefined
  for await (const chunk of await model.stream(messages, options)) whole = whole ? whole.concat(chunk) : chunk
  if (!whole) throw new Error('the stream is empty')
  return whole
}
