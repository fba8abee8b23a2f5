/** As the list of models names them. */
export type Protocol =
  | 'chat'
  | 'responses'
  | 'messages'
  | 'generate-content'
  | 'images'
  | 'video-tasks'
  | 'embeddings'
  | 'rerank'
  | 'speech'
  | 'transcriptions'
  | 'moderations'

/** `body`: as the endpoint takes it. For `generate-content`, whose path has the model, `model` is left out of the request. */
export type ExampleRequest = { protocol: Protocol; body: { model: string } & Readonly<Record<string, unknown>> }

/** `baseUrl`: of the gateway, without a path. */
export type Access = { baseUrl: string; secret: string }

export type ClientId =
  | 'curl'
  | 'python'
  | 'javascript'
  | 'claude-code'
  | 'codex'
  | 'gemini-cli'
  | 'cursor'
  | 'open-webui'

/** A part of a snippet: something to run, a file, or values to enter in the settings of an application. */
export type SnippetPart =
  | { kind: 'install' | 'terminal' | 'code'; code: string }
  | { kind: 'file'; path: string; code: string }
  | { kind: 'settings'; of: 'cursor' | 'open-webui'; baseUrl: string; secret: string; model: string }

/** `baseUrl`: what this client must be given, which depends on the protocol and on what the client adds itself. */
export type Snippet = { baseUrl: string; parts: readonly SnippetPart[] }
