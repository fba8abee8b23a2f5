import type { Texts } from '../texts.ts'

export const snippets: Texts['snippets'] = {
  client: '客户端',
  kinds: { sdk: 'curl 和 SDK', framework: '框架', agent: '编程助手', chat: '聊天应用' },
  protocol: '协议',
  protocols: {
    chat: 'OpenAI Chat Completions',
    responses: 'OpenAI Responses',
    messages: 'Anthropic Messages',
    'generate-content': 'Gemini generateContent',
    images: '图片',
    'video-tasks': '视频任务',
    embeddings: '向量嵌入',
    rerank: '重排序',
    speech: '语音合成',
    transcriptions: '语音转写',
    moderations: '内容审核',
  },
  prompts: { text: '用一句话打个招呼。', media: '夜晚的灯塔' },
  baseUrl: 'Base URL',
  model: '模型',
  apiKey: 'API 密钥',
  install: '安装',
  terminal: '终端',
  code: '代码',
  notes: {
    vendor: (client) => `${client} 从其服务器发送请求，无法访问此 Base URL：它只在本机有效。`,
    container: (client) => `如果 ${client} 运行在容器中，此 Base URL 指向容器本身。请改用主机名 host.docker.internal。`,
  },
}
