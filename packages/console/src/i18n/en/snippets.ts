// Snippets for clients: Overview, Models and Playground show them.

export const snippets = {
  client: 'Client',
  kinds: { sdk: 'curl and SDKs', framework: 'Frameworks', agent: 'Coding agents', chat: 'Chat applications' },
  protocol: 'Protocol',
  protocols: {
    chat: 'OpenAI Chat Completions',
    responses: 'OpenAI Responses',
    messages: 'Anthropic Messages',
    'generate-content': 'Gemini generateContent',
    images: 'Images',
    'video-tasks': 'Video tasks',
    embeddings: 'Embeddings',
    rerank: 'Rerank',
    speech: 'Speech',
    transcriptions: 'Transcriptions',
    moderations: 'Moderations',
  },
  prompts: { text: 'Say hello in one sentence.', media: 'A lighthouse at night' },
  baseUrl: 'Base URL',
  model: 'Model',
  apiKey: 'API key',
  install: 'Install',
  terminal: 'Terminal',
  code: 'Code',
  notes: {
    vendor: (client: string) =>
      `${client} sends requests from its own servers, which cannot reach this base URL: it is local to this computer.`,
    container: (client: string) =>
      `If ${client} runs in a container, this base URL is the container itself. Use host.docker.internal as the host name there.`,
  },
}
