import type { Texts } from '../texts.ts'

export const connect: Texts['connect'] = {
  title: '接入',
  text: '设置客户端：选择密钥、模型和客户端，然后复制代码。',
  reference: 'API 参考',
  key: '密钥',
  keyText: '密钥的分组决定客户端可以调用哪些模型。',
  chosenKey: '使用的密钥',
  noKey: '您没有有效的密钥',
  secret: '完整密钥',
  secretHint: '选填。只用于填入代码，不会被保存。网关无法再次显示完整密钥。',
  create: '创建密钥',
  manage: '管理密钥',
  client: '客户端',
  clientText: '代码中已包含此客户端所需的 Base URL。',
  test: '发送测试请求',
  testNeedsSecret: '请填写完整密钥，或创建新密钥，然后发送测试请求。',
}
