// Every framework that runs a tool loop, and the conversation that all of them have. The exhaustive tests run the same list.
import { DIALECTS, type Dialect, must, show } from '../../cell.ts'
import { DIALECT_OF, MAJORS, PROVIDERS } from '../ai-sdk.ts'
import { aiSdkLoop } from './ai-sdk-loops.ts'
import { langchainLoop } from './langchain-loops.ts'
import { openaiAgentsLoop } from './openai-agents-loops.ts'
import type { ToolLoop, TurnResult } from './tool-loop.ts'

export type LoopClient = { client: string; dialect: Dialect; how: string; loop: ToolLoop }

const WHOLE = 'by sending all of it again'
const CHAINED = 'by the id of the previous response'

/** The AI SDK calls responses by default, with `store` left on, and refers to stored items. */
export const LOOP_CLIENTS: readonly LoopClient[] = [
  ...PROVIDERS.map((provider) => ({
    client: `ai 7, ${provider}`,
    dialect: DIALECT_OF[provider],
    how: WHOLE,
    loop: aiSdkLoop(provider, 7),
  })),
  ...([5, 6] as const).map((major) => ofAiSdk(major, false)),
  ...MAJORS.map((major) => ofAiSdk(major, true)),
  ...DIALECTS.flatMap((dialect) => [
    { client: 'LangChain', dialect, how: WHOLE, loop: langchainLoop(dialect) },
    { client: '@openai/agents', dialect, how: WHOLE, loop: openaiAgentsLoop(dialect) },
  ]),
  { client: 'LangChain', dialect: 'responses', how: CHAINED, loop: langchainLoop('responses', true) },
  { client: '@openai/agents', dialect: 'responses', how: CHAINED, loop: openaiAgentsLoop('responses', true) },
]

function ofAiSdk(major: (typeof MAJORS)[number], chained: boolean): LoopClient {
  const loop = aiSdkLoop('responses', major, chained)
  return { client: `ai ${major}, responses`, dialect: 'responses', how: chained ? CHAINED : WHOLE, loop }
}

const PORTS = ['Brest', 'Cork']

/** Two turns of the user. `subject` ends with a full stop, and tells conversations apart. */
export const promptsAbout = (subject: string): string[] => [
  `Think 5 words. Call tide_height with {"port":"Brest"} for ${subject}`,
  `And the other port? Call tide_height with {"port":"Cork"} for ${subject}`,
]

/** Each turn called the tool once, for its port, and used the result. */
export function judgeTurns(turns: readonly TurnResult[]): void {
  must(turns.length === PORTS.length, () => `${turns.length} turns, not ${PORTS.length}`)
  for (const [index, { calls, text }] of turns.entries()) {
    const port = PORTS[index] ?? ''
    const expected = JSON.stringify([{ name: 'tide_height', input: { port } }])
    must(JSON.stringify(calls) === expected, () => `turn ${index + 1} called ${show(calls)}, not ${expected}`)
    must(text.includes(`5.1 m at ${port}`), () => `turn ${index + 1} lacks the tool's result: ${show(text)}`)
  }
}
