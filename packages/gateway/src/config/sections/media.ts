// Section `media`: where generated images and videos are stored.

import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { FILE_ONLY, fieldsOf } from '../../yaml/fields.ts'
import { readPath, readText, readUrl, withoutTrailingSlash } from '../../yaml/scalars.ts'
import type { MediaConfig, S3Config } from '../types.ts'

const MEDIA_FIELDS = { disk: FILE_ONLY, s3: true } as const
const S3_FIELDS = { endpoint: true, bucket: true, region: true, access_key: true, secret_key: true } as const
const EXAMPLE = 'media: { disk: ./media }'
const S3_EXAMPLE = 's3: { endpoint: "https://s3.example.com", bucket: media, access_key: ..., secret_key: ... }'

/** Services without regions accept this name. */
const DEFAULT_REGION = 'us-east-1'

export function readMedia(value: YamlValue): MediaConfig | undefined {
  const fields = fieldsOf(value, MEDIA_FIELDS, EXAMPLE)
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
  const fields = fieldsOf(value, S3_FIELDS, S3_EXAMPLE)
  if (!fields) return undefined
  const endpoint = fields.required('endpoint', readEndpoint)
  const bucket = fields.required('bucket', readBucket)
  const accessKey = fields.required('access_key', readText)
  const secretKey = fields.required('secret_key', readText)
  const region = fields.optional('region', readText, DEFAULT_REGION)
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
