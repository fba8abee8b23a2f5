// Video tasks.
import type { Endpoint } from '../endpoint.ts'
import { INTEGER, list, MAP, MODEL, open, STRING } from '../schema.ts'

const TASK = open(
  { id: STRING, model: STRING, status: STRING, created_at: INTEGER },
  { error: MAP, content: MAP, usage: MAP },
)

export const videos = {
  title: 'Videos',
  tag: 'Videos',
  offered: ['video tasks'],

  figures: { usual: ['per_second'], all: ['per_second', 'per_video', 'per_million_tokens'] },
  words: {
    en: {
      name: 'Video',
      units: { per_second: 'per second', per_video: 'per video', per_million_tokens: 'per million video tokens' },
      figures: { per_second: 'Per second', per_video: 'Per video', per_million_tokens: 'Per million video tokens' },
      limits: {
        seconds: 'Seconds',
        default_seconds: 'Seconds by default',
        resolutions: 'Resolutions',
        default_resolution: 'Resolution by default',
        ratios: 'Aspect ratios',
        images: 'Input images',
      },
      receipt: { videos: 'Videos', seconds: 'Seconds of video', video_tokens: 'Video tokens' },
    },
    zh: {
      name: '视频',
      units: { per_second: '/ 秒', per_video: '/ 个视频', per_million_tokens: '/ 百万视频 Token' },
      figures: { per_second: '每秒', per_video: '每个视频', per_million_tokens: '每百万视频 Token' },
      limits: {
        seconds: '秒数',
        default_seconds: '默认秒数',
        resolutions: '分辨率',
        default_resolution: '默认分辨率',
        ratios: '宽高比',
        images: '输入图片数',
      },
      receipt: { videos: '视频', seconds: '视频秒数', video_tokens: '视频 Token' },
    },
  },
  routes: {
    'create-video-task': {
      body: {
        schema: open({ model: MODEL, content: list(open({ type: STRING })) }, { callback_url: STRING }),
        example: { model: 'sandbox-video', content: [{ type: 'text', text: 'A lighthouse at night --dur 3' }] },
      },
      responses: { 200: { schema: open({ id: STRING, task_id: STRING }) } },
    },
    'list-video-tasks': {
      parameters: { page_num: INTEGER, page_size: INTEGER, 'filter.status': STRING, 'filter.model': STRING },
      responses: { 200: { schema: open({ total: INTEGER, items: list(TASK) }) } },
    },
    'show-video-task': { responses: { 200: { schema: TASK } } },
    'delete-video-task': { responses: { 204: {} } },
  },
} as const satisfies Endpoint
