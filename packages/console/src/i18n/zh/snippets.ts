import type { Texts } from '../texts.ts'

export const snippets: Texts['snippets'] = {
  client: '客户端',
  protocol: '协议',
  protocols: {
    chat: 'Chat completions',
    responses: 'Responses',
    messages: 'Messages',
    'generate-content': 'Generate content',
    images: '图像',
    'video-tasks': '视频任务',
    embeddings: '向量',
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
  steps: {
    cursor: '在 Cursor 设置中打开 Models，展开 API Keys。启用以下两项，然后添加模型。',
    'open-webui': '在管理员面板中打开“设置 → 外部连接”，添加一个 OpenAI API 连接。',
  },
  fields: {
    cursor: { secret: 'OpenAI API Key', baseUrl: 'Override OpenAI Base URL', model: 'Add model' },
    'open-webui': { secret: 'API 密钥', baseUrl: 'URL', model: '模型 ID' },
  },
  notes: {
    cursor: 'Cursor 从其服务器发送请求，无法访问此 Base URL：它只在本机有效。',
    'open-webui': '在容器中，此 Base URL 指向容器本身。请改用主机名 host.docker.internal。',
  },
}
