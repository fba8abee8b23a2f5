// For tests: one interface to the official SDKs, so that a suite is written once for all dialects.

export type ToolDeclaration = { name: string; properties: Record<string, { type: 'string' | 'integer' }> }

export type Question = {
  prompt: string
  model?: string
  system?: string
  tools?: readonly ToolDeclaration[]
  toolChoice?: 'required' | 'none'
  schema?: Record<string, unknown>
  maxTokens?: number
  stop?: string
  /** An image and a document in the prompt, each in the form of the dialect. */
  attach?: boolean
}

export type Call = { name: string; input: unknown }

export type Answer = {
  text: string
  reasoning: string
  calls: Call[]
  /** The dialect's own word. */
  finish: string
  /** Totals; cached is part of input, reasoning part of output. */
  usage: { input: number; output: number; reasoning: number; cached: number }
  /** What the history of the next request must contain. */
  turn: unknown[]
}

export type Result = { text: string; failed?: boolean }

export type Driver = {
  name: string
  ask(question: Question, how: 'single' | 'stream', history?: unknown[]): Promise<Answer>
  /** The history of a conversation that continues with the results of the calls, in their order. */
  results(answer: Answer, results: readonly Result[]): unknown[]
  /** The dialect's own words. */
  words: { stop: string; length: string; tools: string; stopSequence: string | undefined; refusal: string }
  /** What the SDK throws for this status. */
  errorAt(status: number): ErrorClass
}

export type ErrorClass = new (...given: never[]) => Error

export const PIXEL = Buffer.alloc(70, 7).toString('base64')
export const PDF = Buffer.alloc(30, 9).toString('base64')

export const schemaOf = ({ properties }: ToolDeclaration) => ({
  type: 'object' as const,
  properties,
  required: Object.keys(properties),
})
