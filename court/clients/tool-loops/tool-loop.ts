// What a tool loop is, whichever framework runs it.
import type { Setting } from '../ai-sdk.ts'

export type LoopSetting = Setting & { streamed: boolean }

/** One turn of the user: the calls that the model made, and its answer to their results. */
export type TurnResult = { calls: { name: string; input: unknown }[]; text: string }

/** One user turn per prompt, in one conversation. The framework runs the tool and keeps the history. */
export type ToolLoop = (setting: LoopSetting, prompts: readonly string[]) => Promise<TurnResult[]>

export const TIDE = {
  name: 'tide_height',
  description: 'Tells the height of the tide at a port',
  schema: {
    type: 'object',
    properties: { port: { type: 'string' } },
    required: ['port'],
    additionalProperties: false,
  },
  run: async (input: unknown) => `5.1 m at ${(input as { port: string }).port}`,
}

export const INSTRUCTIONS = 'Be brief.'

/** Calls of the model in one turn. More than two mean that the loop does not end. */
export const MOST_CALLS = 4
