// Snippets for clients: Overview, Models and Playground show them.

import { en, same, texts } from '../say.ts'

export const snippets = texts({
  client: en('Client').zh('客户端'),
  kinds: {
    sdk: en('curl and SDKs').zh('curl 和 SDK'),
    framework: en('Frameworks').zh('框架'),
    agent: en('Coding agents').zh('编程助手'),
    chat: en('Chat applications').zh('聊天应用'),
  },
  protocol: en('Protocol').zh('协议'),
  protocols: {
    chat: same('OpenAI Chat Completions'),
    responses: same('OpenAI Responses'),
    messages: same('Anthropic Messages'),
    'generate-content': same('Gemini generateContent'),
    completions: en('Text completions').zh('文本补全'),
    images: en('Images').zh('图片'),
    'video-tasks': en('Video tasks').zh('视频任务'),
    embeddings: en('Embeddings').zh('向量嵌入'),
    embed: en('Cohere embeddings').zh('Cohere 向量嵌入'),
    rerank: en('Rerank').zh('重排序'),
    speech: en('Speech').zh('语音合成'),
    transcriptions: en('Transcriptions').zh('语音转写'),
    moderations: en('Moderations').zh('内容审核'),
  },
  prompts: {
    text: en('Say hello in one sentence.').zh('用一句话打个招呼。'),
    media: en('A lighthouse at night').zh('夜晚的灯塔'),
  },
  baseUrl: same('Base URL'),
  model: en('Model').zh('模型'),
  apiKey: en('API key').zh('API 密钥'),
  install: en('Install').zh('安装'),
  terminal: en('Terminal').zh('终端'),
  code: en('Code').zh('代码'),
  notes: {
    vendor: en(
      (client: string) =>
        `${client} sends requests from its own servers, which cannot reach this base URL: it is local to this computer.`,
    ).zh((client) => `${client} 从其服务器发送请求，无法访问此 Base URL：它只在本机有效。`),
    container: en(
      (client: string) =>
        `If ${client} runs in a container, this base URL is the container itself. Use host.docker.internal as the host name there.`,
    ).zh((client) => `如果 ${client} 运行在容器中，此 Base URL 指向容器本身。请改用主机名 host.docker.internal。`),
  },
})
