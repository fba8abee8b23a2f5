// What was asked, whatever the dialect: each dialect reads its request into this, and the plan is made from it alone.

export type Attachment = {
  kind: 'image' | 'audio' | 'video' | 'file'
  /** Media type, format or file name, as the request tells it. */
  label: string
  /** Unknown for an address or a stored file. */
  bytes: number | undefined
}

export type Tool = {
  name: string
  /** `custom` tools take free text instead of JSON. */
  form: 'function' | 'custom'
  schema: unknown
}

export type ToolChoice = {
  mode: 'none' | 'auto' | 'required'
  /** The tools that may be called. */
  only: readonly string[] | undefined
  parallel: boolean
}

/** `failed`: the dialect has a mark for results that are errors, and this one has it. */
export type ToolResult = { name: string; text: string; failed: boolean }

export type AnswerFormat = { type: 'text' } | { type: 'json' } | { type: 'schema'; schema: unknown }

/** What the turns of a request say. */
export type Conversation = {
  /** Roles in order, one for each message. */
  roles: string[]
  system: string
  lastUser: string
  /** Results that wait for an answer: those after the last assistant message. */
  toolResults: ToolResult[]
  attachments: Attachment[]
  /** Reasoning of earlier turns that came back, with its seal or without. */
  reasoning: { signed: number; unsigned: number }
  /** All text of all messages. */
  texts: string[]
}

export type SandboxRequest = Readonly<Omit<Conversation, 'texts'>> & {
  /** Hash of the request: the only source of ids, so that the same request gets the same answer. */
  fingerprint: string
  tools: readonly Tool[]
  toolChoice: ToolChoice
  format: AnswerFormat
  stops: readonly string[]
  maxTokens: number | undefined
  choices: number
  /** The caller does not want to see reasoning, though it may be done. */
  hideReasoning: boolean
  /** Everything else that was sent, as `name=value`, and the fields nobody knows, by name. */
  parameters: readonly string[]
  unknownFields: readonly string[]
  /** Bytes of all text sent, tool definitions and schemas included. */
  textBytes: number
}
