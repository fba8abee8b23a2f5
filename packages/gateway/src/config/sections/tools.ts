// Section `tools`: tools that the gateway runs itself for models whose upstreams do not have them.
import type { ModelType } from '../../modalities/index.ts'
import { closestMatch } from '../../yaml/closest-match.ts'
import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { fieldsOf, quote } from '../../yaml/fields.ts'
import { readText } from '../../yaml/scalars.ts'
import { setting, written } from '../settings/setting.ts'
import type { FileConfig } from '../types.ts'

type Tools = NonNullable<FileConfig['tools']>
/** The models that a tool may name, and advice about others. */
type KnownModels = { types: ReadonlyMap<string, ModelType>; advice(id: string): string | undefined }

export const IMAGE_GENERATION = {
  model: setting('model', written('text', readText), undefined, {
    en: 'The image model behind the tool image_generation.',
    zh: '工具 image_generation 使用的图片模型。',
  }),
}

const EXAMPLE = 'tools: { image_generation: { model: my-image-model } }'

export const readTools =
  (models: KnownModels) =>
  (value: YamlValue): Tools | undefined => {
    const tool = fieldsOf(value, { image_generation: true }, EXAMPLE)?.get('image_generation')
    const fields = tool && fieldsOf(tool, { model: true }, '{ model: my-image-model }')
    const model = fields?.required('model', (field) => imageModel(field, models), 'the image model that the tool calls')
    return model === undefined ? undefined : { imageGeneration: { model } }
  }

function imageModel(value: YamlValue, { types, advice }: KnownModels): string | undefined {
  const id = readText(value)
  if (id === undefined || types.get(id) === 'image') return id
  const type = types.get(id)
  if (type !== undefined) {
    addMistake(value, `${quote(id)} is a ${type} model; name a model of type image`)
    return undefined
  }
  const images = [...types].flatMap(([known, type]) => (type === 'image' ? [known] : []))
  const guess = closestMatch(id, images)
  addMistake(
    value,
    `unknown model ${quote(id)}; ${advice(id) ?? (guess ? `did you mean ${guess}?` : 'define it under models')}`,
  )
  return undefined
}
