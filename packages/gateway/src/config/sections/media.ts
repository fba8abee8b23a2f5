// Section `media`: where generated images and videos are stored.

import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { fieldsOf } from '../../yaml/fields.ts'
import { readPath, readText, readUrl, withoutTrailingSlash } from '../../yaml/scalars.ts'
import { rulesOf, setting, written } from '../settings/setting.ts'
import type { MediaConfig, S3Config } from '../types.ts'

export const MEDIA = {
  disk: setting('disk', written('path', readPath), undefined, {
    en: 'The folder of stored images and videos.',
    zh: '存储图片和视频的目录。',
    mark: 'file only',
  }),
}
export const S3 = {
  endpoint: setting('endpoint', written('url', readEndpoint), undefined, {
    en: 'The S3-compatible store of images and videos. Excludes `media.disk`.',
    zh: '存储图片和视频的 S3 兼容服务。不能与 `media.disk` 同时设置。',
  }),
  bucket: setting('bucket', written('text', readBucket), undefined, {
    en: 'Its bucket.',
    zh: '存储桶。',
  }),
  // Services without regions accept this name.
  region: setting('region', written('text', readText), 'us-east-1', { en: 'Its region.', zh: '区域。' }),
  accessKey: setting('access_key', written('text', readText), undefined, {
    en: 'The access key.',
    zh: 'Access Key ID。',
    mark: 'secret',
  }),
  secretKey: setting('secret_key', written('text', readText), undefined, {
    en: 'The secret key.',
    zh: 'Secret Access Key。',
    mark: 'secret',
  }),
}
const EXAMPLE = 'media: { disk: ./media }'
const S3_EXAMPLE = 's3: { endpoint: "https://s3.example.com", bucket: media, access_key: ..., secret_key: ... }'

export function readMedia(value: YamlValue): MediaConfig | undefined {
  const fields = fieldsOf(value, { ...rulesOf(MEDIA), s3: true }, EXAMPLE)
  if (!fields) return undefined
  const disk = fields.optional<string | undefined>('disk', readPath, undefined)
  const s3 = fields.optional<S3Config | undefined>('s3', readS3, undefined)
  const isWritten = (name: string) => fields.get(name) !== undefined
  if (isWritten('disk') && isWritten('s3')) addMistake(value, 'disk and s3 exclude each other; remove one of them')
  else if (!isWritten('disk') && !isWritten('s3')) addMistake(value, `write disk or s3, such as ${EXAMPLE}`)
  if (s3) return { s3 }
  return disk === undefined ? undefined : { disk }
}

function readS3(value: YamlValue): S3Config | undefined {
  const fields = fieldsOf(value, rulesOf(S3), S3_EXAMPLE)
  if (!fields) return undefined
  const endpoint = fields.required('endpoint', readEndpoint)
  const bucket = fields.required('bucket', readBucket)
  const accessKey = fields.required('access_key', readText)
  const secretKey = fields.required('secret_key', readText)
  const region = fields.optional('region', readText, S3.region.fallback)
  if (endpoint === undefined || bucket === undefined || accessKey === undefined || secretKey === undefined) {
    return undefined
  }
  return { endpoint, bucket, region, accessKey, secretKey }
}

function readEndpoint(value: YamlValue): string | undefined {
  const url = readUrl(value, { credentials: false, example: 'https://s3.example.com' })
  return url ? withoutTrailingSlash(url) : undefined
}

function readBucket(value: YamlValue): string | undefined {
  const name = readText(value)
  if (name === undefined || /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/.test(name)) return name
  addMistake(value, 'is not the name of a bucket; write 3 to 63 letters, digits, dots and hyphens')
  return undefined
}
