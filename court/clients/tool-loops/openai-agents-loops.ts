// Tool loops with @openai/agents: its own two protocols, and the others by its extension for models of the AI SDK.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { modelOf } from '../ai-sdk.ts'
import { load } from '../load.ts'
import { INSTRUCTIONS, type LoopSetting, MOST_CALLS, TIDE, type ToolLoop, type TurnResult } from './tool-loop.ts'

type Result = {
  finalOutput: string
  newItems: { type: string; rawItem: { name: string; arguments: string } }[]
  history: unknown[]
  lastResponseId: string | undefined
  completed?: Promise<void>
}
type Agents = {
  Agent: new (options: object) => object
  Runner: new (options: object) => { run(agent: object, input: unknown, options: object): Promise<Result> }
  OpenAIProvider: new (options: object) => { getModel(name: string): Promise<object> }
  OpenAIResponsesModel: unknown
  tool(spec: object): object
}
type Extension = { aisdk(model: unknown): object }

async function modelFor(dialect: TextDialectId, setting: LoopSetting): Promise<object> {
  if (dialect === 'messages' || dialect === 'generate-content') {
    const { aisdk } = await load<Extension>('@openai/agents-extensions/ai-sdk')
    return aisdk(await modelOf(dialect, 7, setting))
  }
  const { OpenAIProvider } = await load<Agents>('@openai/agents')
  const { origin, key, model } = setting
  const useResponses = dialect === 'responses'
  return await new OpenAIProvider({ apiKey: key, baseURL: `${origin}/v1`, useResponses }).getModel(model)
}

/** `chained`: by the id of the previous response, else by sending all items again. */
export const openaiAgentsLoop =
  (dialect: TextDialectId, chained = false): ToolLoop =>
  async (setting, prompts) => {
    const { Agent, Runner, tool } = await load<Agents>('@openai/agents')
    const { name, description, schema: parameters, run: execute } = TIDE
    const agent = new Agent({
      name: 'Pilot',
      instructions: INSTRUCTIONS,
      model: await modelFor(dialect, setting),
      tools: [tool({ name, description, parameters, strict: false, execute })],
    })
    const runner = new Runner({ tracingDisabled: true })
    const turns: TurnResult[] = []
    let history: unknown[] = []
    let previousResponseId: string | undefined
    for (const prompt of prompts) {
      const input = [...history, { role: 'user', content: prompt }]
      const options = { stream: setting.streamed, maxTurns: MOST_CALLS, previousResponseId }
      const result = await runner.run(agent, input, options)
      await result.completed
      const called = result.newItems.filter(({ type }) => type === 'tool_call_item').map(({ rawItem }) => rawItem)
      const calls = called.map((call) => ({ name: call.name, input: JSON.parse(call.arguments) }))
      turns.push({ calls, text: result.finalOutput })
      if (chained) previousResponseId = result.lastResponseId
      else history = result.history
    }
    return turns
  }
