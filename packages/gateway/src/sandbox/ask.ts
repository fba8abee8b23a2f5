// What was asked, whatever the dialect: each dialect reads its request into this, and the plan is made from it alone.

export type Attachment = {
  kind: 'image' | 'audio' | 'file'
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

export type ToolResult = { name: string; text: string }

export type AnswerFormat = { type: 'text' } | { type: 'json' } | { type: 'schema'; schema: unknown }

export type Ask = {
  /** Hash of the request: the only source of ids, so that the same request gets the same answer. */
  fingerprint: string
  /** Roles in order, one for each message. */
  roles: readonly string[]
  system: string
  lastUser: string
  /** Results that wait for an answer: those after the last assistant message. */
  toolResults: readonly ToolResult[]
  attachments: readonly Attachment[]
  tools: readonly Tool[]
  toolChoice: ToolChoice
  format: AnswerFormat
  stops: readonly string[]
  maxTokens: number | undefined
  choices: number
  /** Everything else that was sent, as `name=value`, and the fields nobody knows, by name. */
  parameters: readonly string[]
  unknownFields: readonly string[]
  /** Bytes of all text sent, tool definitions and schemas included. */
  textBytes: number
}
