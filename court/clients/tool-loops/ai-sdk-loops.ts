// Tool loops with the Vercel AI SDK.
import { clientOf, type Major, type Provider, type Request } from '../ai-sdk.ts'
import { INSTRUCTIONS, TIDE, type ToolLoop, type TurnResult } from './tool-loop.ts'

const TOOLS = { [TIDE.name]: { description: TIDE.description, inputSchema: TIDE.schema, execute: TIDE.run } }

/** `chained`: by the id of the previous response, else by sending all messages again. */
export const aiSdkLoop =
  (provider: Provider, major: Major, chained = false): ToolLoop =>
  async ({ streamed, ...setting }, prompts) => {
    const client = await clientOf(provider, major, setting)
    const turns: TurnResult[] = []
    let messages: unknown[] = []
    let previousResponseId: string | undefined
    for (const prompt of prompts) {
      messages.push({ role: 'user', content: prompt })
      const request: Request = { messages, tools: TOOLS, streamed }
      // The SDK sends the system text as an item, which is already in the chain.
      if (previousResponseId === undefined) request.system = INSTRUCTIONS
      else request.providerOptions = { openai: { previousResponseId } }
      const { text, steps, response } = await client.call(request)
      const calls = steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName: name, input }) => ({ name, input })))
      turns.push({ calls, text })
      if (chained) previousResponseId = response.id
      messages = chained ? [] : [...messages, ...response.messages]
    }
    return turns
  }
