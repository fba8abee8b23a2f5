import type { OperateTexts } from '../../i18n/texts.ts'

export const auditLog: OperateTexts['auditLog'] = {
  title: '审计日志',
}
