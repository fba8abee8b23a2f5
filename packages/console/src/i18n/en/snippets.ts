// Snippets for clients: Overview, Models and Playground show them.

export const snippets = {
  client: 'Client',
  protocol: 'Protocol',
  protocols: {
    chat: 'Chat completions',
    responses: 'Responses',
    messages: 'Messages',
    'generate-content': 'Generate content',
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
  steps: {
    cursor: 'In Cursor Settings, open Models and expand API Keys. Turn on both settings, then add the model.',
    'open-webui': 'In the Admin Panel, open Settings, Connections, and add an OpenAI API connection.',
  },
  fields: {
    cursor: { secret: 'OpenAI API Key', baseUrl: 'Override OpenAI Base URL', model: 'Add model' },
    'open-webui': { secret: 'API key', baseUrl: 'URL', model: 'Model IDs' },
  },
  notes: {
    cursor:
      'Cursor sends requests from its own servers, which cannot reach this base URL: it is local to this computer.',
    'open-webui':
      'In a container, this base URL is the container itself. Use host.docker.internal as the host name there.',
  },
}
