// Images, made and edited.
import type { Endpoint } from '../endpoint.ts'
import { INTEGER, list, MODEL, open, STREAM, STRING } from '../schema.ts'

const IMAGE = open({ model: MODEL, prompt: STRING }, { n: INTEGER, size: STRING, response_format: STRING, ...STREAM })
const IMAGE_EXAMPLE = { model: 'sandbox-image', prompt: 'A lighthouse at night', size: '64x64', response_format: 'url' }
const IMAGES = { 200: { schema: open({ created: INTEGER, data: list() }), stream: true } } as const

export const images = {
  title: 'Images',
  tag: 'Images',
  offered: ['images'],

  figures: {
    usual: ['per_image'],
    all: ['per_image', 'input', 'cached_input', 'image_input', 'image_output'],
    output: 'image_output',
  },
  words: {
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
  routes: {
    'image-generations': { body: { schema: IMAGE, example: IMAGE_EXAMPLE }, responses: IMAGES },
    'image-edits': {
      body: {
        schema: open(
          { model: MODEL, prompt: STRING, image: { ...STRING, contentMediaType: 'image/png' } },
          { n: INTEGER, size: STRING },
        ),
        example: { ...IMAGE_EXAMPLE, image: 'image.png' },
        files: { image: { contentType: 'image/png, image/jpeg, image/webp' } },
      },
      responses: IMAGES,
    },
    'task-image-generations': { body: { schema: IMAGE, example: IMAGE_EXAMPLE }, responses: IMAGES },
  },
} as const satisfies Endpoint
