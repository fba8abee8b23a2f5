import type { OperateTexts } from '../../i18n/texts.ts'

export const models: OperateTexts['models'] = {
  title: '模型',
}
