// A request in neutral form: each dialect decodes its requests into this, and the plan is made from it alone.

export type Attachment = {
  kind: 'image' | 'audio' | 'video' | 'file'
  /** Media type, format or file name, as sent. */
  label: string
  /** Unknown for a URL or a stored file. */
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

/** `failed`: the result is marked as an error, in dialects that have such a mark. */
export type ToolResult = { name: string; text: string; failed: boolean }

export type AnswerFormat = { type: 'text' } | { type: 'json' } | { type: 'schema'; schema: unknown }

/** The turns of a request. */
export type Conversation = {
  /** Roles in order, one for each message. */
  roles: string[]
  system: string
  lastUser: string
  /** Results that have to be answered: those after the last assistant message. */
  toolResults: ToolResult[]
  attachments: Attachment[]
  /** Reasoning of earlier turns that was sent back, with its signature or without. */
  reasoning: { signed: number; unsigned: number }
  /** All text of all messages. */
  texts: string[]
}

export type SandboxRequest = Readonly<Omit<Conversation, 'texts'>> & {
  /** Hash of the request: the only source of ids, so that the same request gets the same answer. */
  fingerprint: string
  tools: readonly Tool[]
  toolChoice: ToolChoice
  /** Whether the model may search the web, or has to. */
  search: 'none' | 'offered' | 'forced'
  format: AnswerFormat
  stops: readonly string[]
  maxTokens: number | undefined
  choices: number
  /** The caller does not want to see the reasoning; it is still produced. */
  hideReasoning: boolean
  /** All other fields as `name=value`, and the names of unknown fields. */
  parameters: readonly string[]
  unknownFields: readonly string[]
  /** Bytes of all text sent, tool definitions and schemas included. */
  textBytes: number
}
