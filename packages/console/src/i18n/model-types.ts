// What every language calls a type of model: its name, the figures of its prices, its limits, and the units on receipts. A new
// type is an entry here; what has no text is shown by its name in the API.
import type { Language } from './locale.ts'

type Names = Readonly<Record<string, string>>

type Words = {
  name: string
  /** The figure by which models are compared, behind `USD`. */
  units?: Names
  /** Those of tokens stand below "USD per million tokens". */
  figures?: Names
  limits?: Names
  receipt?: Names
}

const TYPES: Readonly<Record<string, Readonly<Record<Language, Words>>>> = {
  text: {
    en: {
      name: 'Text',
      units: { output: 'per million output tokens' },
      figures: {
        input: 'Input',
        output: 'Output',
        cached_input: 'Cached input',
        cache_write: 'Cache write',
        cache_write_1h: 'Cache write for an hour',
        reasoning: 'Reasoning',
        audio_input: 'Audio input',
        cached_audio_input: 'Cached audio input',
        audio_output: 'Audio output',
      },
      limits: { context: 'Context, tokens', max_output: 'Output, tokens' },
      receipt: {
        input: 'Input tokens',
        cached_input: 'Cached input tokens',
        cache_write: 'Tokens written to the cache',
        cache_write_1h: 'Tokens written to the cache for 1 hour',
        audio_input: 'Audio input tokens',
        cached_audio_input: 'Cached audio input tokens',
        image_input: 'Image input tokens',
        output: 'Output tokens',
        reasoning: 'Reasoning tokens',
        audio_output: 'Audio output tokens',
        image_output: 'Image output tokens',
      },
    },
    zh: {
      name: '文本',
      units: { output: '/ 百万输出 Token' },
      figures: {
        input: '输入',
        output: '输出',
        cached_input: '缓存输入',
        cache_write: '缓存写入',
        cache_write_1h: '一小时缓存写入',
        reasoning: '推理',
        audio_input: '音频输入',
        cached_audio_input: '缓存音频输入',
        audio_output: '音频输出',
      },
      limits: { context: '上下文（Token）', max_output: '输出（Token）' },
      receipt: {
        input: '输入 Token',
        cached_input: '缓存输入 Token',
        cache_write: '写入缓存的 Token',
        cache_write_1h: '写入缓存的 Token（1 小时）',
        audio_input: '音频输入 Token',
        cached_audio_input: '缓存音频输入 Token',
        image_input: '图片输入 Token',
        output: '输出 Token',
        reasoning: '推理 Token',
        audio_output: '音频输出 Token',
        image_output: '图片输出 Token',
      },
    },
  },
  image: {
    en: {
      name: 'Image',
      units: { per_image: 'per image', image_output: 'per million image tokens' },
      figures: { image_input: 'Image input', image_output: 'Image output', per_image: 'Per image' },
      limits: { sizes: 'Sizes', qualities: 'Qualities', n: 'Images per request' },
      receipt: {
        image_prompt_tokens: 'Prompt tokens',
        image_cached_tokens: 'Cached prompt tokens',
        image_input_tokens: 'Image input tokens',
        image_text_tokens: 'Text output tokens',
        image_output_tokens: 'Image output tokens',
        images: 'Images',
      },
    },
    zh: {
      name: '图片',
      units: { per_image: '/ 张图片', image_output: '/ 百万图片 Token' },
      figures: { image_input: '图片输入', image_output: '图片输出', per_image: '每张图片' },
      limits: { sizes: '尺寸', qualities: '质量', n: '每次请求的图片数' },
      receipt: {
        image_prompt_tokens: '提示词 Token',
        image_cached_tokens: '缓存提示词 Token',
        image_input_tokens: '图片输入 Token',
        image_text_tokens: '文本输出 Token',
        image_output_tokens: '图片输出 Token',
        images: '图片',
      },
    },
  },
  video: {
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
  rerank: {
    en: {
      name: 'Rerank',
      units: {
        per_search: 'per search',
        input: 'per million input tokens',
        per_thousand_documents: 'per thousand documents',
      },
      figures: { per_search: 'Per search', per_thousand_documents: 'Per thousand documents' },
      limits: { documents: 'Documents' },
      receipt: { searches: 'Searches', documents: 'Documents' },
    },
    zh: {
      name: '重排序',
      units: { per_search: '/ 次搜索', input: '/ 百万输入 Token', per_thousand_documents: '/ 千份文档' },
      figures: { per_search: '每次搜索', per_thousand_documents: '每千份文档' },
      limits: { documents: '文档数' },
      receipt: { searches: '搜索次数', documents: '文档数' },
    },
  },
  moderation: {
    en: {
      name: 'Moderation',
      units: { per_request: 'per request', per_input: 'per text or image' },
      figures: { per_request: 'Per request', per_input: 'Per text or image' },
      limits: { inputs: 'Inputs' },
      receipt: { requests: 'Requests' },
    },
    zh: {
      name: '内容审核',
      units: { per_request: '/ 次请求', per_input: '/ 条文本或图片' },
      figures: { per_request: '每次请求', per_input: '每条文本或图片' },
      limits: { inputs: '输入数' },
      receipt: { requests: '请求次数' },
    },
  },
  transcription: {
    en: {
      name: 'Transcription',
      units: { per_minute: 'per minute', audio_input: 'per million audio tokens' },
      figures: { per_minute: 'Per minute of audio', audio_input: 'Audio input' },
      limits: { megabytes: 'File, MB' },
      receipt: { audio_seconds: 'Seconds of audio', audio_input: 'Audio input tokens' },
    },
    zh: {
      name: '语音转写',
      units: { per_minute: '/ 分钟', audio_input: '/ 百万音频 Token' },
      figures: { per_minute: '每分钟音频', audio_input: '音频输入' },
      limits: { megabytes: '文件（MB）' },
      receipt: { audio_seconds: '音频秒数', audio_input: '音频输入 Token' },
    },
  },
  embedding: {
    en: {
      name: 'Embeddings',
      units: { input: 'per million input tokens' },
      limits: { inputs: 'Inputs', tokens: 'Tokens', dimensions: 'Dimensions' },
    },
    zh: {
      name: '向量嵌入',
      units: { input: '/ 百万输入 Token' },
      limits: { inputs: '输入条数', tokens: 'Token 数', dimensions: '维度' },
    },
  },
  speech: {
    en: {
      name: 'Speech',
      units: {
        per_million_characters: 'per million characters',
        per_minute: 'per minute of audio',
        audio_output: 'per million audio tokens',
      },
      figures: {
        per_million_characters: 'Per million characters',
        per_minute: 'Per minute of audio',
        audio_output: 'Audio output',
      },
      limits: { characters: 'Characters' },
      receipt: { characters: 'Characters', audio_seconds: 'Seconds of audio' },
    },
    zh: {
      name: '语音',
      units: { per_million_characters: '/ 百万字符', per_minute: '/ 分钟音频', audio_output: '/ 百万音频 Token' },
      figures: { per_million_characters: '每百万字符', per_minute: '每分钟音频', audio_output: '音频输出' },
      limits: { characters: '字符数' },
      receipt: { characters: '字符', audio_seconds: '音频秒数' },
    },
  },
}

export const typeNames = (language: Language): Names =>
  Object.fromEntries(Object.entries(TYPES).map(([type, words]) => [type, words[language].name]))

/** The words of all types together. */
export const typeWords = (language: Language, part: Exclude<keyof Words, 'name'>): Names =>
  Object.assign({}, ...Object.values(TYPES).map((words) => words[language][part]))
